// Actions of tests on a page of the board.

/** The visible text of an element. */
export const text = (page, selector) => page.locator(selector).innerText();

/** The cell of a square. */
export const cell = (page, square) => page.locator(`.cell[data-square="${square}"]`);

/** Shows a view, as a user reaches it: by the rail, by a tab, or by the menu of the game. */
export const show = async (page, view) => {
  if (["play", "learn", "database"].includes(view)) return page.click("#rail-" + view);
  await page.click("#rail-analysis");
  // From a lesson or a report back to the tabs.
  if (!(await page.locator("#tabs").isVisible())) await page.click("#rail-analysis");
  if (view !== "setup") return page.click("#tab-" + view);
  await page.click("#game-menu-button");
  await page.click("#game-menu [data-act=setup]");
};

/** How popovers and dialogs are opened. */
const OPENERS = {
  "play-menu": ["#play-menu-button"], "lines-pop": ["#lines-button"], "whole-pop": ["#game-menu-button", "#whole"], note: ["#note-button"],
  "share-pop": ['[popovertarget="share-pop"]:visible'], "filter-pop": ["#db-filter"], "game-menu": ["#game-menu-button"], "more-menu": ["#rail-more"],
  "running-menu": ["#running-menu-button"], "report-menu": ["#report-menu-button"],
  names: ["#game-menu-button", "#game-menu [data-act=names]"], open: ["#game-menu-button", "#game-menu [data-act=open]"],
  "diagrams-dialog": ["#game-menu-button", "#game-menu [data-act=diagrams]"], look: ["#rail-more", "#settings"],
};

/** Does something within a popover or dialog: opens it first, and closes it if it is still open. */
export const within = async (page, name, work) => {
  const isOpen = () => page.locator(`#${name}`).isVisible();
  const wasOpen = await isOpen();
  if (!wasOpen) for (const step of OPENERS[name]) await page.click(step);
  const found = await work();
  if (!wasOpen && (await isOpen())) await page.keyboard.press("Escape");
  return found;
};

/** Chooses an option of a choice in a row, wherever it is. */
export const choose = async (page, selector, value) => {
  const group = page.locator(selector);
  const frame = await group.evaluate((node) => node.closest("[popover], dialog")?.id ?? null);
  const click = () => group.locator(`[role=radio][value="${value}"]`).click();
  return frame ? within(page, frame, click) : click();
};

/** The chosen option. */
export const chosen = (page, selector) => page.locator(`${selector} [role=radio][aria-checked=true]`).getAttribute("value");

/** Changes the level of the engine. */
export const level = (page, number) => page.locator("#play-level").fill(String(number));

/** Changes the language. */
export const speak = (page, language) => within(page, "look", () => inLanguage(page, language));

/** Chooses a language, whose texts are there when the document has it. */
export const inLanguage = async (page, language) => {
  await page.selectOption("#language", language);
  await page.waitForFunction((code) => document.documentElement.lang === code, language);
};

/** Waits until the element with this id has the focus: menus give it a moment after they open. */
export const focused = (page, id) => page.waitForFunction((id) => document.activeElement.id === id, id);

/** Nothing has the focus any more. */
export const blur = (page) => page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());

/** Writes a comment on the move on the board. */
export const comment = (page, words) => within(page, "note", async () => {
  await page.fill("#comment", words);
  await page.press("#comment", "Enter");
});

/** A command of the popover of a move: promote or delete. */
export const command = (page, name) => within(page, "note", () => page.click("#" + name));

/** The menu of the game: an entry by its id or its action. */
export const menu = (page, selector) => within(page, "game-menu", () => page.click("#game-menu " + selector));

/** Undoes an edit, with the key; redo is its undo. */
export const undo = async (page) => {
  await blur(page);
  await page.keyboard.press("u");
};
export const redo = async (page) => {
  await blur(page);
  await page.keyboard.press("y");
};

/** Steps through the game with the keys: back, forward, first or last. */
export const step = async (page, name) => {
  await blur(page);
  await page.keyboard.press({ back: "ArrowLeft", forward: "ArrowRight", first: "Home", last: "End" }[name]);
};

/** Analyses the whole game, with the key. */
export const whole = async (page) => {
  await blur(page);
  await page.keyboard.press("w");
};

/** Opens a game of the file. */
export const openGame = async (page, number) => {
  await show(page, "game");
  await page.click(`#games tr:nth-child(${number}) button`);
};

/** Changes a name or another tag of the game. */
export const tag = (page, name, value) => within(page, "names", async () => {
  await page.fill("#tag-" + name, value);
  await page.press("#tag-" + name, "Tab");
});

/** The open games as PDN, from the clipboard. */
export const pdn = async (page) => {
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", {
      configurable: true, value: { writeText: async (text) => void (/** @type {any} */ (window).copied = text) },
    });
    delete /** @type {any} */ (window).copied;
  });
  await within(page, "share-pop", () => page.click("#copy-pdn"));
  await page.waitForFunction(() => /** @type {any} */ (window).copied !== undefined);
  return page.evaluate(() => /** @type {any} */ (window).copied);
};

/** Sets up a position in the editor. */
export const setUp = async (page, fen) => {
  await show(page, "setup");
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
  page.waitForFunction((count) => document.querySelectorAll("#moves button.m").length === count, count);

/** Types a move: the field comes with a key. */
export const type = async (page, move) => {
  if (!(await page.locator("#type").isVisible())) {
    await blur(page);
    await page.keyboard.press("m");
  }
  await page.fill("#type", move);
  await page.press("#type", "Enter");
  await page.press("#type", "Escape");
};

/** Opens the games of a PDN text. */
export const read = async (page, pdn) => {
  await show(page, "analysis");
  await page.click("#game-menu-button");
  await page.click("#game-menu [data-act=open]");
  await page.fill("#pdn-text", pdn);
  await page.evaluate(() => (document.querySelector("#say").textContent = ""));
  await page.click("#pdn-read");
  await says(page, /Games read/);
};

/** White to move, in no book, so the engine has to think. 39-34 is legal. */
export const MIDDLEGAME = "W:W26,27,28,32,33,35,37,38,39,42,43,48:B3,8,9,12,13,14,16,17,18,19,23,24";

/** Begins a game with the white pieces; the engine thinks this many seconds. */
export const play = async (page, seconds = 1, fen = MIDDLEGAME) => {
  await setUp(page, fen);
  await show(page, "play");
  await choose(page, "#play-from", "board");
  await choose(page, "#play-kind", "time");
  await page.fill("#play-time", String(seconds));
  await page.click("#play-start");
  await says(page, /Your move/, "#status");
};

/** Plays a legal move, chosen by the marks of pieces that can move. */
export const playSomething = async (page) => {
  const count = await page.locator("#moves button.m").count();
  await page.locator(".cell.movable").first().click();
  await page.locator('.cell[aria-label*="can go here"]').first().click();
  if (await page.locator("#which[open]").count()) {
    await page.locator("#which .choices button").first().click();
  }
  await page.waitForFunction((before) => document.querySelectorAll("#moves button.m").length > before, count);
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
