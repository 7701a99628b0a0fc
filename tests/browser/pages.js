// Actions of tests on a page of the board.

/** The visible text of an element. */
export const text = (page, selector) => page.locator(selector).innerText();

/** The cell of a square. */
export const cell = (page, square) => page.locator(`.cell[data-square="${square}"]`);

/** Sets up a position in the editor. */
export const setUp = async (page, fen) => {
  await page.click("#tab-setup");
  await page.fill("#fen", fen);
  await page.press("#fen", "Enter");
  await page.evaluate(() => {
    for (const name of ["#say", "#fen-problem"]) document.querySelector(name).textContent = "";
  });
  await page.click("#setup-done");
  // The engine reads the text: leaving the panel before that gives the position up.
  await page.waitForFunction(() => document.querySelector("#say").textContent
    || document.querySelector("#fen-problem").textContent);
};

/** Waits until an element has a text. */
export const says = (page, pattern, selector = "#say") =>
  page.waitForFunction(
    ([where, source]) => new RegExp(source).test(document.querySelector(where).textContent),
    [selector, pattern.source],
  );

/** Waits until the game on the desk has this many moves, variations included. */
export const moves = (page, count) =>
  page.waitForFunction((count) => document.querySelectorAll("#moves .move").length === count, count);

/** Types a move. */
export const type = async (page, move) => {
  await page.fill("#type", move);
  await page.press("#type", "Enter");
};

/** Opens the games of a PDN text. */
export const read = async (page, pdn) => {
  await page.click("#tab-game");
  await page.fill("#pdn-text", pdn);
  await readText(page);
};

/** Opens the games of the text field, and waits until they are on the desk. */
export const readText = async (page) => {
  await page.evaluate(() => (document.querySelector("#say").textContent = ""));
  await page.click("#pdn-read");
  await says(page, /Games read/);
};

/** White to move, in no book, so the engine has to think. 39-34 is legal. */
export const MIDDLEGAME = "W:W26,27,28,32,33,35,37,38,39,42,43,48:B3,8,9,12,13,14,16,17,18,19,23,24";

/** Begins a game with the white pieces; the engine thinks this many seconds. */
export const play = async (page, seconds = 1, fen = MIDDLEGAME) => {
  await setUp(page, fen);
  await page.click("#tab-play");
  await page.selectOption("#play-from", "board");
  await page.selectOption("#play-kind", "time");
  await page.fill("#play-time", String(seconds));
  await page.click("#play-form button.main");
  await says(page, /Your move/);
};

/** Plays a legal move, chosen by the marks of pieces that can move. */
export const playSomething = async (page) => {
  const count = await page.locator("#moves .move").count();
  await page.locator(".cell.movable").first().click();
  await page.locator('.cell[aria-label*="can go here"]').first().click();
  if (await page.locator("#which[open]").count()) {
    await page.locator("#which .choices button").first().click();
  }
  await page.waitForFunction((before) => document.querySelectorAll("#moves .move").length > before, count);
};

/** Makes the engine think about its moves until the returned function lets it answer. */
export const hold = async (page) => {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route("**/v1/play?*", async (request) => {
    await released;
    // Unless the page no longer wants an answer.
    await request.continue().catch(() => {});
  });
  return release;
};
