// A game as people play it: motion, sounds, clocks, draws, prepared moves, and reasons why a move is refused.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cell, choose, chosen, hold, level, moves, pdn, play, read, says, setUp, show, speak, text, type, within } from "./pages.js";
import { MEERSLAG, browser, host } from "./stage.js";

const onPage = (title, work, options = {}) =>
  test(title, { timeout: 300_000, skip: options.server && !MEERSLAG }, async () => {
    const context = await browser.newContext({ locale: "en-GB", ...options.context });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const faults = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("dialog", (dialog) => dialog.accept());
    if (options.clock) await page.clock.install();
    await page.goto(host.url);
    await page.waitForSelector("body[data-ready]");
    await work(page);
    assert.deepEqual(faults, []);
    await context.close();
  });

/** A white king can capture in three ways that part later. */
const WAYS = "W:WK28:B12,13,22,23,33";
/** White must capture 28x19, and has a man that could move otherwise. */
const MUST = "W:W28,38:B23,1";

/** The moving pieces: their squares, and whether they vanish. */
const moving = (page) =>
  page.evaluate(() => [...document.querySelectorAll("#frame g.pieces use")].flatMap((piece) =>
    piece.getAnimations().map((one) => ({
      square: Number(piece.dataset.square), steps: one.effect.getKeyframes().length,
      fades: "opacity" in one.effect.getKeyframes()[0], delay: one.effect.getTiming().delay,
    }))));

onPage("moves slide, and captured pieces vanish in their order", async (page) => {
  await setUp(page, WAYS);
  await page.waitForSelector(".cell.movable");
  // So slowly that it is seen on any machine.
  const session = await page.context().newCDPSession(page);
  await session.send("Animation.enable");
  const speed = (playbackRate) => session.send("Animation.setPlaybackRate", { playbackRate });
  await speed(0.01);
  await type(page, "28x50");
  await page.waitForSelector("#moves button.m");
  const seen = await moving(page);
  assert.equal(seen.find(({ square }) => square === 50).steps, 6, "five jumps");
  const fading = seen.filter(({ fades }) => fades).sort((a, b) => a.delay - b.delay);
  assert.deepEqual(fading.map(({ square }) => square), [22, 12, 13, 23, 33]);
  assert.equal(await page.evaluate(() => document.body.dataset.sound), "capture");
  // Afterwards only the king is there.
  await speed(10);
  await page.waitForFunction(() => document.querySelectorAll("#frame g.pieces use").length === 1);
  await speed(0.01);
  await page.click("#back");
  assert.deepEqual((await moving(page)).map(({ square }) => square), [28]);
  // Not where the settings or the system forbid motion.
  await within(page, "look", async () => {
    await page.uncheck("#set-motion");
    await page.uncheck("#set-sounds");
  });
  await page.evaluate(() => delete document.body.dataset.sound);
  await page.click("#forward");
  assert.deepEqual(await moving(page), []);
  assert.equal(await page.evaluate(() => document.body.dataset.sound), undefined);
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  assert.equal(await page.locator("#set-motion").isChecked(), false);
});

onPage("nothing slides where the system wants less motion", async (page) => {
  await show(page, "analysis");
  await type(page, "32-28");
  await moves(page, 1);
  assert.deepEqual(await moving(page), []);
}, { context: { reducedMotion: "reduce" } });

onPage("targets are seen while a piece is carried, and it does not slide when it is put", async (page) => {
  await page.waitForSelector(".cell.movable");
  await cell(page, 32).hover();
  await page.mouse.down();
  await cell(page, 37).hover();
  assert.match(await cell(page, 28).getAttribute("aria-label"), /can go here/);
  await cell(page, 28).hover();
  await page.mouse.up();
  await page.waitForSelector("#moves button.m");
  // The engine's answer may slide already.
  assert.ok((await moving(page)).every(({ square }) => square !== 28));
});

onPage("a capture is clicked along its way", async (page) => {
  await setUp(page, WAYS);
  await page.waitForSelector(".cell.movable");
  await cell(page, 28).click();
  await cell(page, 17).click();
  // All ways lead over 17: it is chosen, and nothing is played.
  assert.match(await cell(page, 17).getAttribute("aria-label"), /chosen/);
  assert.equal(await page.locator("#moves button.m").count(), 0);
  assert.equal(await page.locator("#which[open]").count(), 0);
  await cell(page, 44).click();
  await moves(page, 1);
  assert.equal(await page.locator("#moves button.m").innerText(), "28x44");
});

onPage("why a move cannot be made is said and shown", async (page) => {
  await setUp(page, MUST);
  await page.waitForSelector(".cell.movable");
  await cell(page, 38).click();
  await says(page, /You must capture 1 piece, with the piece on 28/);
  assert.equal(await page.locator("#frame g.arrows .threat").count(), 1);
  await cell(page, 28).click();
  assert.equal(await page.locator("#frame g.arrows .threat").count(), 0);
  await cell(page, 22).click();
  await says(page, /You must capture/);
  await type(page, "38-33");
  await says(page, /38-33 is not a legal move. You must capture 1 piece/);
  await cell(page, 1).click();
  await says(page, /other side’s turn/);
  await setUp(page, "W:W28,K45:B1");
  await page.waitForSelector(".cell.movable");
  await cell(page, 28).click();
  await cell(page, 32).click();
  await says(page, /28 to 32: a man moves one square forward/);
  await cell(page, 45).click();
  await cell(page, 44).click();
  await says(page, /45 to 44: a king moves along/);
  await setUp(page, "W:W31,35:B24,30");
  await page.waitForSelector(".cell.movable");
  await cell(page, 35).click();
  await says(page, /The piece on 35 has no move/);
});

onPage("a move is prepared while the engine thinks, and played when it may be", async (page) => {
  await play(page, 0.3, "W:W39,46:B1,2,4");
  let answer = await hold(page);
  await type(page, "39-34");
  await says(page, /is thinking/);
  await cell(page, 46).click();
  await cell(page, 41).click();
  await says(page, /46 goes to 41 as soon as/);
  assert.match(await cell(page, 41).getAttribute("aria-label"), /prepared move/);
  answer();
  await moves(page, 4);
  assert.equal(await page.locator("#moves button.m").nth(2).innerText(), "46-41");
  // A cancelled one is not played.
  await page.unroute("**/v1/play?*");
  answer = await hold(page);
  await says(page, /engine plays|Your move/);
  await type(page, "34-30");
  await says(page, /is thinking/);
  await cell(page, 41).click();
  await cell(page, 36).click();
  await says(page, /41 goes to 36/);
  await cell(page, 41).click();
  await says(page, /cancelled/);
  answer();
  await moves(page, 6);
}, { server: true });

/** Begins a game with a clock; the engine thinks this many seconds at most. */
const withClock = async (page, clock, seconds = 0.2) => {
  await choose(page, "#play-clock", clock);
  await play(page, seconds);
};

onPage("the clock runs, gets its increment, stands still, and falls", async (page) => {
  await show(page, "play");
  await withClock(page, "3+2");
  assert.equal(await text(page, "#clock-far"), "3:00");
  await page.clock.runFor(61_000);
  assert.match(await text(page, "#clock-near"), /^1:5[89]$/);
  assert.match(await page.locator("#clock-near").getAttribute("aria-label"), /^White: 1:5/);
  await type(page, "39-34");
  await page.clock.runFor(1000);
  await moves(page, 2);
  assert.match(await text(page, "#clock-near"), /^(2:0\d|1:59)$/);
  // Paused: nothing runs and nothing can be moved; after a reload it is the same.
  await page.click("#play-pause");
  await says(page, /paused/);
  const before = await text(page, "#clock-near");
  await page.clock.runFor(30_000);
  assert.equal(await text(page, "#clock-near"), before);
  assert.equal(await page.locator(".cell.movable").count(), 0);
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await page.clock.runFor(5000);
  assert.equal(await text(page, "#clock-near"), before);
  await page.click("#play-pause");
  await says(page, /Your move/);
  await page.clock.runFor(130_000);
  await says(page, /Black wins \(time is up\)/);
  assert.equal(await chosen(page, "#result"), "0-2");
  // The end is said beside the board, with the clocks as they were.
  assert.equal(await text(page, "#over-title"), "You lose");
  assert.equal(await text(page, "#over-result"), "0-2");
  assert.match(await text(page, "#over-why"), /time is up/);
  assert.equal(await text(page, "#clock-near"), "0:00.0");
  assert.equal(await page.locator("#play-resign").isVisible(), false);
}, { clock: true, server: true });

onPage("a game is resigned, a draw is offered", async (page) => {
  await play(page, 0.2);
  await page.click("#play-draw");
  await says(page, /plays on/);
  await page.click("#play-resign");
  await says(page, /Black wins \(you resigned\)/);
  assert.equal(await chosen(page, "#result"), "0-2");
  // An endgame that is a draw.
  await play(page, 0.2, "W:WK46:BK2,K3");
  await page.click("#play-draw");
  await says(page, /A draw \(agreed\)/);
  assert.equal(await chosen(page, "#result"), "1-1");
  assert.equal(await text(page, "#over-title"), "A draw");
  await show(page, "analysis");
  assert.match(await pdn(page), /1-1/);
}, { server: true });

onPage("a running game that makes room for another is kept, and that is said", async (page) => {
  await play(page, 0.2);
  await type(page, "39-34");
  await moves(page, 2);
  await read(page, "1. 34-30 20-25 *");
  await says(page, /Games read.*The game against the engine is kept/);
  await show(page, "play");
  await page.locator("#recent-few button").first().click();
  await page.locator("#play-resign").waitFor();
  await moves(page, 2);
}, { server: true });

onPage("levels have names", async (page) => {
  const named = () => page.locator("#play-level").getAttribute("aria-valuetext");
  await level(page, 1);
  assert.equal(await named(), "Level 1, very easy");
  await level(page, 10);
  assert.equal(await named(), "Level 10, full strength");
  assert.equal(await page.locator("#bars .on").count(), 10);
  // With the arrow keys as well.
  await page.locator("#play-level").focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(await text(page, "#level-name"), "Level 9");
  await level(page, 1);
  await speak(page, "nl");
  assert.equal(await named(), "Niveau 1, heel makkelijk");
});

onPage("a move before the start of a game begins it, with the sides as chosen", async (page) => {
  await level(page, 1);
  await page.waitForSelector(".cell.movable");
  await cell(page, 32).click();
  await cell(page, 28).click();
  await moves(page, 2);
  await says(page, /Your move|plays/);
  assert.equal(await text(page, "#who-near b"), "You");
  await within(page, "running-menu", () => page.click("#play-end"));
  await page.waitForSelector("#play-form");
  // With Black the engine begins.
  await choose(page, "#play-side", "B");
  await page.click("#play-start");
  await moves(page, 1);
  const [upper, lower] = [await cell(page, 50).boundingBox(), await cell(page, 1).boundingBox()];
  assert.ok(upper.y < lower.y, "Black's side is below");
});

onPage("after a game there is a rematch, or its analysis", async (page) => {
  await play(page, 0.2);
  await page.click("#play-resign");
  await says(page, /You lose/, "#over-title");
  await page.click("#rematch");
  // With the other colour from the same position: the engine moves first.
  await moves(page, 1);
  assert.match(await text(page, "#who-near div span"), /^Black/);
  await page.click("#play-resign");
  await says(page, /You lose/, "#over-title");
  await page.click("#over-analyse");
  await says(page, /The game is analysed/);
  await page.waitForSelector("#report");
}, { server: true });

const OVER = /White wins|Black wins|A draw/;

/** Plays on to the end of the game: `make` makes some move of the piece on a square. */
const playOut = async (page, make) => {
  for (let plies = 0; ; plies += 2) {
    await page.waitForFunction(({ plies, over }) => {
      if (new RegExp(over).test(document.querySelector("#say").innerText)) return true;
      return document.querySelectorAll("#moves button.m").length === plies && document.querySelector(".cell.movable");
    }, { plies, over: OVER.source });
    if (OVER.test(await text(page, "#say"))) return plies;
    await make(Number(await page.locator(".cell.movable").first().getAttribute("data-square")));
    await page.waitForFunction((before) => document.querySelectorAll("#moves button.m").length > before, plies);
  }
};

onPage("a whole game is played by touch, on a phone", async (page) => {
  const touch = async (locator) => {
    await locator.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await locator.boundingBox();
    await page.touchscreen.tap(x + width / 2, y + height / 2);
  };
  await touch(page.locator("#rail-play"));
  await level(page, 1);
  await touch(page.locator("#play-start"));
  await says(page, /Your move/);
  const plies = await playOut(page, async (from) => {
    await touch(cell(page, from));
    await touch(page.locator('.cell[aria-label*="can go here"]').first());
    if (await page.locator("#which[open]").count()) await touch(page.locator("#which .choices button").first());
  });
  assert.ok(plies > 20, `${plies}`);
  // It did not scroll sideways or zoom.
  assert.deepEqual(await page.evaluate(() => [scrollX, visualViewport.scale]), [0, 1]);
}, { context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } });
