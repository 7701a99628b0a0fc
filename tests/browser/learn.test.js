// Learning: combinations as puzzles, lessons, and repetition.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cell, moves, read, says, show, text, type } from "./pages.js";
import { barriers } from "./reading.js";
import { browser, host } from "./stage.js";

/** The page's names of its puzzles, and both moves of their solutions: the first of the suite. */
const [FIRST, SECOND] = [["Combination 1", 34, 29, 39, 26], ["Combination 2", 17, 21, 11, 35]];

/** The progress of a set, on its card. */
const [COMBINATIONS, OF_GAMES] = ["#set-combinations .score", "#set-games .score"];

const movable = (page, square) => cell(page, square).and(page.locator(".movable")).waitFor();

const visit = async () => {
  const context = await browser.newContext({ locale: "en-GB", reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("dialog", (dialog) => dialog.accept());
  await page.clock.install();
  await page.goto(host.url);
  await page.waitForSelector("body[data-ready]");
  await show(page, "learn");
  await says(page, /0 of 254 solved/, COMBINATIONS);
  return page;
};

const play = async (page, from, to) => {
  await cell(page, from).click();
  await cell(page, to).click();
};

/** Plays a combination to its end; the other side answers. */
const combine = async (page, [, from, to, next, last]) => {
  await movable(page, from);
  await play(page, from, to);
  await movable(page, next);
  await moves(page, 2);
  await play(page, next, last);
};

test("a combination is solved, with its source and the score", { timeout: 300_000 }, async () => {
  const page = await visit();
  await page.click("#combinations-go");
  await says(page, /White to move and win/, "#title");
  assert.match(await text(page, "#puzzle-source"), new RegExp(`^${FIRST[0]}, from a game of the engine against itself$`));
  await movable(page, FIRST[1]);
  await play(page, FIRST[1], FIRST[2]);
  // The other side gives the best answer; only the end counts.
  await says(page, /34-29 is right. Continue/, "#puzzle-text");
  await movable(page, FIRST[3]);
  await moves(page, 2);
  await says(page, /0 of 254 solved/, COMBINATIONS);
  await play(page, FIRST[3], FIRST[4]);
  await says(page, /39x26 is right/, "#puzzle-text");
  await says(page, /1 of 254 solved100 % at the first try/, COMBINATIONS);
  assert.ok(await page.locator("#puzzle-hint").isDisabled());
  // The next one is different, with Black at the bottom.
  await page.click("#puzzle-next");
  await says(page, new RegExp("^" + SECOND[0]), "#puzzle-source");
  const [upper, lower] = [await cell(page, 50).boundingBox(), await cell(page, 1).boundingBox()];
  assert.ok(upper.y < lower.y);
  assert.deepEqual(await barriers(page), []);
  // It is there after a reload, to be solved.
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await combine(page, SECOND);
  await says(page, /11x35 is right/, "#puzzle-text");
  await says(page, /2 of 254 solved/, COMBINATIONS);
  await page.context().close();
});

test("hints come in two steps; what went wrong comes again, later and later", { timeout: 300_000 }, async () => {
  const page = await visit();
  await page.click("#combinations-go");
  await cell(page, 38).and(page.locator(".movable")).waitFor();
  // A wrong move goes back.
  await type(page, "38-33");
  await says(page, /38-33 does not win|not a legal move/, "#puzzle-text, #say");
  await page.click("#puzzle-hint");
  await says(page, /34/, "#puzzle-text");
  assert.equal(await page.locator("#frame path.arrow").count(), 0);
  await page.click("#puzzle-hint");
  await says(page, /34-29/, "#puzzle-text");
  assert.equal(await page.locator("#frame path.arrow").count(), 1);
  await moves(page, 0);
  await combine(page, FIRST);
  await says(page, /It will be repeated later/, "#puzzle-text");
  await says(page, /0 of 254 solved0 % at the first try/, COMBINATIONS);
  await page.click("#puzzle-next");
  await says(page, new RegExp("^" + SECOND[0]), "#puzzle-source");
  // Ten minutes later it is due before anything new; then in a day.
  for (const [wait, name] of [["10:01", FIRST[0]], ["10:01", SECOND[0]], ["24:00:00", FIRST[0]]]) {
    await page.clock.fastForward(wait);
    await page.click("#puzzle-next");
    await says(page, new RegExp(`^${name},`), "#puzzle-source");
    if (name !== FIRST[0]) continue;
    await combine(page, FIRST);
    await says(page, /39x26 is right$/, "#puzzle-text");
  }
  await says(page, /1 of 254 solved/, COMBINATIONS);
  // Looking up the solution is not solving it.
  await page.click("#puzzle-next");
  await page.click("#puzzle-show");
  // It is shown on the board, move by move.
  await says(page, /Solution: 17-21 26x17 11x35/, "#puzzle-text");
  for (const move of ["17-21", "26x17", "11x35"]) await page.locator("#moves [aria-current]", { hasText: move }).waitFor();
  await says(page, /1 of 254 solved/, COMBINATIONS);
  await page.context().close();
});

/** A puzzle, and a game where 7-34 gives the king away, as 7-11 does. */
const GAMES = `[White "Jan"]
[Black "Piet"]
[Date "2026.01.02"]
[FEN "W:W28,33,39:B19,23,18,9"]

1. 28-22 18x27 2. 33-28 2-0

[White "An"]
[FEN "W:WK7:BK39"]

1. 7-34 $4 (1. 7-1) 39x30 0-2
`;

const open = read;

test("puzzles and mistakes of a file are solved", { timeout: 300_000 }, async () => {
  const page = await visit();
  // A game without marks has no exercises.
  assert.match(await text(page, "#exercises-text"), /open a file with puzzles/);
  assert.ok(await page.locator("#games-go").isHidden());
  await open(page, "1. 32-28 19-23 *");
  await moves(page, 2);
  assert.ok(await page.locator("#exercises-solve").isHidden());
  await show(page, "learn");
  await page.click("#puzzle-take");
  await says(page, /no puzzle and no marked mistake/, "#exercises-text");
  await open(page, GAMES);
  await says(page, /Solve as puzzles: 2/, "#exercises-solve");
  assert.deepEqual(await barriers(page), []);
  await page.click("#exercises-solve");
  assert.equal(await page.locator("#rail-learn").getAttribute("aria-current"), "page");
  await says(page, /White to move and win/, "#title");
  assert.equal(await text(page, "#puzzle-source"), "Jan – Piet, 2026.01.02");
  await movable(page, 28);
  await play(page, 28, 22);
  await says(page, /28-22 is right. Continue/, "#puzzle-text");
  await moves(page, 2);
  // A wrong move goes back, and the solution is still unknown.
  await movable(page, 33);
  await play(page, 39, 34);
  await says(page, /39-34 is not the solution/, "#puzzle-text");
  await moves(page, 2);
  await page.click("#puzzle-hint");
  await says(page, /33/, "#puzzle-text");
  await movable(page, 33);
  await play(page, 33, 28);
  await says(page, /33-28 is right. It will be repeated later/, "#puzzle-text");
  await says(page, /0 of 2 solved/, OF_GAMES);

  await page.click("#puzzle-next");
  await says(page, /White played 7-34. Find a better move/, "#title");
  assert.equal(await text(page, "#puzzle-source"), "An – ?, move 1");
  await movable(page, 7);
  await play(page, 7, 34);
  await says(page, /7-34 was played in the game/, "#puzzle-text");
  await movable(page, 7);
  await play(page, 7, 18);
  await says(page, /7-18 is good, too/, "#puzzle-text");
  await says(page, /1 of 2 solved50 % at the first try/, OF_GAMES);
  assert.deepEqual(await barriers(page), []);

  // Everything is there after a reload; in ten minutes the puzzle comes again.
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await page.click("#rail-learn");
  await says(page, /1 of 2 solved50 %/, OF_GAMES);
  await page.clock.fastForward("10:01");
  await page.click("#games-go");
  await says(page, /White to move and win/, "#title");
  await page.click("#puzzle-show");
  await says(page, /Solution: 28-22 18x27 33-28/, "#puzzle-text");
  await moves(page, 3);
  // The combinations have their own scores.
  await page.click("#head-close");
  await says(page, /0 of 254 solved$/, COMBINATIONS);
  await page.context().close();
});

test("a bad move in place of a mistake is judged, and the exercise comes again", { timeout: 300_000 }, async () => {
  const page = await visit();
  await open(page, GAMES.slice(GAMES.indexOf('[White "An"')));
  await show(page, "learn");
  await page.click("#puzzle-take");
  await says(page, /White played 7-34/, "#title");
  await movable(page, 7);
  await play(page, 7, 11);
  await says(page, /7-11 gives away 50 % of the points/, "#puzzle-text");
  await movable(page, 7);
  await play(page, 7, 1);
  await says(page, /7-1 is right. It will be repeated later/, "#puzzle-text");
  await says(page, /0 of 1 solved/, OF_GAMES);
  await page.context().close();
});

test("a lesson of the list is played and counted", { timeout: 300_000 }, async () => {
  const page = await visit();
  assert.equal(await page.locator("#lessons button").count(), 12);
  await page.click('#lessons button[data-lesson="1"]');
  await says(page, /Win with/, "#title");
  assert.match(await text(page, "#subtitle"), /Catch a man with a king/);
  // A win in three plies: the second hint names the move.
  for (let move = 1; move <= 2; move++) {
    await page.locator(".cell.movable").first().waitFor();
    await page.click("#lesson-hint");
    await says(page, /\d/, "#verdict");
    await page.click("#lesson-hint");
    await says(page, /\d+[-x]\d+/, "#verdict");
    const [best] = (await text(page, "#verdict")).match(/\d+[-x]\d+/);
    const before = await page.locator("#moves button.m").count();
    await type(page, best);
    await page.waitForFunction((count) => document.querySelectorAll("#moves button.m").length > count, before);
    await page.waitForFunction(() => document.querySelector("#lesson-hint").disabled || document.querySelector(".cell.movable"));
    if (await page.locator("#lesson-hint").isDisabled()) break;
  }
  await says(page, /White wins|2-0|wins/i, "#verdict");
  await show(page, "learn");
  await says(page, /without a mistake: 1, with: 0/, "#lessons button:first-child");
  await page.context().close();
});

test("within a combination every move is judged", { timeout: 300_000 }, async () => {
  const page = await (await browser.newContext({ locale: "en-GB", reducedMotion: "reduce" })).newPage();
  page.setDefaultTimeout(60_000);
  const fen = "W:W25,30,31,33,36,41,43,44,46,47,48,49,50:B2,3,4,5,6,7,12,13,14,20,22,23,32";
  await page.route("**/combinations.suite", (request) => request.fulfill({ body: `${fen}; 33-28; shot-7; win; self-play`, contentType: "text/plain" }));
  await page.goto(host.url);
  await page.waitForSelector("body[data-ready]");
  await show(page, "learn");
  await page.click("#combinations-go");
  await movable(page, 33);
  await play(page, 33, 28);
  await movable(page, 50);
  await moves(page, 2);
  // A move that lets the advantage slip goes back.
  await play(page, 50, 45);
  await says(page, /50-45 gives away \d+ %/, "#puzzle-text");
  await moves(page, 2);
  // The solution goes on from here, on the board, to the end of the combination.
  await page.click("#puzzle-show");
  await says(page, /^Solution: \d+-\d+ .*x/, "#puzzle-text");
  const solution = (await text(page, "#puzzle-text")).replace("Solution: ", "").split(" ");
  await page.locator("#moves [aria-current]", { hasText: solution.at(-1) }).waitFor();
  await moves(page, 2 + solution.length);
  await page.context().close();
});

test("each theme has its rating, and is practised by itself", { timeout: 300_000 }, async () => {
  const page = await visit();
  const theme = (name) => page.locator("#themes li").filter({ has: page.locator(`[data-theme="${name}"]`) });
  assert.match(await theme("given-1").innerText(), /One piece given\s+0 of 92 solved/);
  assert.equal(await page.locator("#themes li").count(), 5, "themes without puzzles are not listed");
  // The first puzzle with two pieces given is missed, the next one is solved.
  await theme("given-2").locator("button").click();
  await page.waitForSelector(".cell.movable");
  await page.click("#puzzle-show");
  await says(page, /Solution/, "#puzzle-text");
  await page.click("#head-close");
  await says(page, /0 of 94 solved · 0 % at the first try/, "#themes");
  await page.click("#combinations-go");
  await combine(page, FIRST);
  await says(page, /is right/, "#puzzle-text");
  await page.click("#head-close");
  await says(page, /1 of 92 solved · 100 % at the first try/, "#themes");
  await page.close();
});
