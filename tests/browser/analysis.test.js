// Analysis as people use it: a bar, lines to look along, threats, drawings, the list of moves.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";

import { cell, choose, focused, menu, moves, pdn, read, says, setUp, show, text, type } from "./pages.js";
import { barriers } from "./reading.js";
import { onPage } from "./stage.js";

/** Black, to move, is a king ahead. */
const BLACK_WINS = "B:W28:BK1,K2,K3,12";

onPage("the score is White's, in the lines and beside the board", async (page) => {
  // Black is a man ahead, with too many men on the board for a search to see the end.
  await setUp(page, "B:W31-44,46-50:B1-20");
  await show(page, "analysis");
  await page.click("#analyse");
  await page.waitForSelector("#variations li b");
  await says(page, /^-\d/, "#variations li b");
  await says(page, /^-\d/, "#score-now");
  assert.match(await page.locator("#bar").getAttribute("aria-label"), /Evaluation for White: -\d/);
  // The height changes slowly.
  await page.waitForFunction(() => document.querySelector("#bar i").getAnimations().length === 0);
  await page.waitForFunction(() => document.querySelector("#bar i").clientHeight < document.querySelector("#bar").clientHeight / 2);
  const [bar, white] = [await page.locator("#bar").boundingBox(), await page.locator("#bar i").boundingBox()];
  assert.ok(white.height < bar.height / 2);
  assert.ok(Math.abs(white.y + white.height - bar.y - bar.height) < 3, "White's part is below");
  await page.click("#flip");
  const turned = await page.locator("#bar i").boundingBox();
  assert.ok(Math.abs(turned.y - bar.y) < 3, "and above when the board is turned");
  await page.click("#analyse");
  await setUp(page, BLACK_WINS);
  await show(page, "analysis");
  await page.click("#analyse");
  await page.waitForSelector("#variations li b");
  await says(page, /^-\d|^B( \d+)?$/, "#variations li b");
});

onPage("the best move is left out, until another position is on the board", async (page) => {
  await show(page, "analysis");
  await choose(page, "#lines", "1");
  await page.click("#analyse");
  await page.waitForSelector("#variations [data-ply='0']");
  const best = async () => (await page.locator("#variations [data-ply='0']").textContent()).trim();
  const leaveOut = async () => {
    await page.click("#lines-button");
    await page.click("#leave-out");
  };
  await leaveOut();
  const without = await page.waitForFunction(() => {
    const [text, move] = ["#left-out span", "#variations [data-ply='0']"].map((part) => document.querySelector(part)?.textContent.trim());
    return move && !text.includes(move) && text;
  });
  assert.match(await without.jsonValue(), /^Without \d+[-x]\d+$/);
  await leaveOut();
  await says(page, /^Without \d+[-x]\d+, \d+[-x]\d+$/, "#left-out span");
  await page.waitForSelector("#variations [data-ply='0']");
  await page.click("#left-out button");
  assert.equal(await page.locator("#left-out").isVisible(), false);
  await page.waitForSelector("#variations [data-ply='0']");
  await leaveOut();
  const left = (await page.locator("#left-out span").textContent()).replace("Without ", "");
  await page.waitForFunction((move) => document.querySelector("#variations [data-ply='0']")?.textContent.trim() !== move, left);
  const played = await best();
  await page.click("#variations [data-ply='0']");
  await moves(page, 1);
  assert.equal(await page.locator("#left-out").isVisible(), false, played);
});

onPage("a line is looked along and played to any depth", async (page) => {
  await show(page, "analysis");
  await choose(page, "#lines", "1");
  await page.click("#analyse");
  await page.waitForFunction(() => document.querySelectorAll("#variations [data-ply]").length > 3);
  // After a stop the results stay, and nothing is drawn over them later.
  await page.click("#analyse");
  const third = page.locator("#variations [data-ply='2']");
  await third.hover();
  assert.equal(await page.locator("#preview").isVisible(), true);
  const pieces = await page.locator("#preview g.pieces use").count();
  assert.ok(pieces <= 40 && pieces > 30);
  await third.click();
  await moves(page, 3);
  assert.equal(await page.locator("#preview").isVisible(), false);
});

onPage("a threat is shown on request", async (page) => {
  // Black to move; White threatens 28x19.
  await setUp(page, "B:W28,38:B23,1,2");
  await show(page, "analysis");
  await page.click("#threat");
  await says(page, /threatens 28x19/, "#threat-text");
  assert.equal(await page.locator("#frame g.arrows .threat").count(), 1);
  await type(page, "1-7");
  await says(page, /is not a legal move/);
  await page.click("#threat");
  assert.equal(await text(page, "#threat-text"), "");
  assert.equal(await page.locator("#frame g.arrows .threat").count(), 0);
});

onPage("arrows and circles are drawn by mouse and keyboard, and kept", async (page) => {
  const own = page.locator("#frame g.arrows .own");
  await show(page, "analysis");
  await type(page, "32-28");
  await moves(page, 1);
  await cell(page, 19).hover();
  await page.mouse.down({ button: "right" });
  await cell(page, 23).hover();
  await page.mouse.up({ button: "right" });
  await page.waitForFunction(() => document.querySelectorAll("#frame g.arrows path.own").length === 1);
  await page.keyboard.press("b");
  await page.keyboard.press("c");
  await page.keyboard.press("x");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("x");
  assert.equal(await own.count(), 3);
  const written = await pdn(page);
  assert.match(written, /\[%csl G28\]\s+\[%cal G1923,G28\d\d\]/);
  assert.equal(await text(page, "#position-comment"), "");
  await page.click("#back");
  assert.equal(await own.count(), 0);
  await read(page, written);
  await page.click("#last");
  assert.equal(await own.count(), 3);
  // The same once more removes it.
  await cell(page, 28).click({ button: "right" });
  assert.equal(await own.count(), 2);
  await menu(page, "#undo");
  assert.equal(await own.count(), 3);
});

onPage("the clock of the side that has moved is shown", async (page) => {
  await read(page, "1. 32-28 {[%clock w0:09:57 B0:09:58] Good.} 19-23 {[%clock W0:09:57 b0:09:50]} *");
  await page.click("#forward");
  assert.equal(await text(page, "#position-comment"), "clock 597.0 s. Good.");
  await page.click("#forward");
  assert.equal(await text(page, "#position-comment"), "clock 590.0 s");
});

onPage("moves stand in two columns, with a menu for each", async (page) => {
  await read(page, "1. 32-28 19-23 $4 (1... 18-23 $1 2. 37-32) 2. 28x19 14x23 *");
  const place = (name) => page.locator("#moves .mainline", { hasText: name }).boundingBox();
  const [white, black, next] = [await place("32-28"), await place("19-23"), await place("28x19")];
  assert.ok(white.x < black.x && Math.abs(white.y - black.y) < 3);
  assert.ok(Math.abs(next.x - white.x) < 3 && next.y > white.y);
  const colour = (name) => page.locator("#moves button.m", { hasText: name }).first().evaluate((node) => getComputedStyle(node).color);
  const colours = [await colour("32-28"), await colour("19-23"), await colour("18-23")];
  assert.equal(new Set(colours).size, 3, "mistakes and good moves are coloured");
  await page.locator("#moves .variation .m").first().click({ button: "right" });
  await page.waitForSelector("#note:popover-open");
  assert.equal(await text(page, "#note-move"), "1... 18-23");
  assert.deepEqual(await barriers(page), []);
  await page.click("#promote");
  assert.match(await text(page, "#moves"), /1\s+32-28\s+18-23\s*!/);
  // By keyboard: the key for menus, Tab, Enter.
  await page.locator("#moves button.m[aria-current]").focus();
  await page.locator("#moves button.m[aria-current]").dispatchEvent("contextmenu");
  await page.waitForSelector("#note:popover-open");
  await page.keyboard.press("Tab");
  await focused(page, "delete");
  await page.keyboard.press("Enter");
  await moves(page, 4);
  await menu(page, "#undo");
  await moves(page, 6);
  await page.locator("#moves .mainline").first().click({ button: "right" });
  await page.click("#sign [value='3']");
  await page.keyboard.press("Escape");
  assert.match(await text(page, "#moves"), /32-28\s*!!/);
  await page.locator("#moves .mainline").first().click({ button: "right" });
  await focused(page, "comment");
  await page.keyboard.type("Best");
  await page.keyboard.press("Enter");
  assert.equal(await text(page, "#position-comment"), "Best");
});

onPage("the tab of endgames marks all moves that are as good, and says whether the solution is the only one", async (page) => {
  await setUp(page, "B:WK11:BK2,K6,12");
  await show(page, "endgames");
  await says(page, /Black wins/, "#value");
  // By sign and word, not by colour alone.
  const row = page.locator("#values li").first();
  assert.match(await row.innerText(), /★ \d+x\d+[^]*★ shortest/);
  await says(page, /Not the only solution: others win, too, at 1 of 1 move\. In brackets: as good/, "#line-note");
  assert.match(await text(page, "#line"), /\(★\d+x\d+, ★\d+x\d+, ★\d+x\d+ \+\d+\)/);
  await setUp(page, "W:W8,12:BK26,43");
  await show(page, "endgames");
  await says(page, /^1\. 8-3 /, "#line");
  assert.equal((await text(page, "#line-note")).trim(), "The only solution.");
  assert.doesNotMatch(await text(page, "#values"), /★/);
  assert.deepEqual(await barriers(page), []);
});

onPage("an endgame that no database knows is proved by a search", async (page) => {
  await setUp(page, "W:W32,37,38:B19,23,K45");
  await show(page, "endgames");
  await says(page, /Black wins/, "#value");
  await says(page, /in at most \d+ plies/, "#value-more");
  await says(page, /Proved by search/, "#subtitle");
  await says(page, /^1\. \d+-\d+/, "#line");
  assert.match(await page.locator("#values li").first().innerText(), /Losses · 4[^]*★ 32-27[^]*★ longest defence/);
  // A move of the proof can be played, and the next position is known, too.
  await page.locator("#values button").first().click();
  await moves(page, 1);
  await says(page, /Not settled · \d+/, "#values");
  // Positions with many pieces are not searched.
  await setUp(page, "W:W31-50:B1-20");
  await says(page, /Values are known for up to 4 pieces/, "#practise-text");
});
