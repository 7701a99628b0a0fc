// Games of the variants on the page: chosen, set up, played, kept, shared, written, found again.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";

import { serveFolder, startServer } from "./hosts.js";
import { choose, moves, pdn, read, says, show, text, type, within } from "./pages.js";
import { MEERSLAG, onPage as onPageOf, SITE } from "./stage.js";

let folder;
let host;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "meerslag-"));
  host = MEERSLAG ? await startServer(MEERSLAG, ["--games", join(folder, "all.games"), "--games-add"]) : await serveFolder(SITE);
});
after(async () => {
  await host.stop();
  await rm(folder, { recursive: true });
});

const onPage = (title, work) => onPageOf(title, work, { at: () => host });

/** Sets up a position of a variant; waits until the page has taken or refused it. */
const setUp = async (page, variant, fen) => {
  await show(page, "setup");
  await page.selectOption("#setup-variant", variant);
  await page.fill("#fen", fen);
  await page.evaluate(() => (document.querySelector("#say").textContent = ""));
  await page.click("#setup-done");
  await page.waitForFunction(() => document.querySelector("#say").textContent || document.querySelector("#fen-problem").textContent);
};

const variant = (page) => page.locator("#variant:visible").allInnerTexts();
const pieces = (page) => page.locator("#frame g.pieces use").count();

onPage("a game is begun in the chosen variant, and kept", async (page) => {
  assert.deepEqual(await variant(page), []);
  await page.selectOption("#play-variant", "frysk");
  await page.waitForFunction(() => document.querySelectorAll("#frame g.pieces use").length === 10);
  assert.deepEqual(await variant(page), ["Frysk!"]);
  await page.fill("#play-level", "1");
  await page.click("#play-start");
  await says(page, /Your move/, "#status");
  await type(page, "46-41");
  await moves(page, 2);
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  assert.match(await text(page, "#who-far"), /Frysk!/);
  assert.equal(await pieces(page), 10);
  await show(page, "analysis");
  assert.deepEqual(await variant(page), ["Frysk!"]);
  const written = await pdn(page);
  assert.match(written, /\[GameType "97"\]\n\[Variant "Frysk!"\]/);
  assert.ok(written.includes("1. 46-41") && !written.includes("FEN"), written);
});

onPage("the side without a move has won in Losing, and lost in other games", async (page) => {
  for (const [name, result, why] of [["losing", "2-0", "You win"], ["international", "0-2", "You lose"]]) {
    await setUp(page, name, "W:W32:B22");
    await show(page, "play");
    await choose(page, "#play-from", "board");
    // A position on the board has its variant.
    assert.equal(await page.locator("#play-variant-row").isVisible(), false);
    await page.fill("#play-level", "3");
    await page.click("#play-start");
    await says(page, /Your move/, "#status");
    await type(page, "32-28");
    await page.waitForSelector("body[data-state=over]");
    assert.equal(await text(page, "#over-result"), result);
    assert.equal(await text(page, "#over-title"), why);
  }
});

onPage("Frisian captures along rows, and counts the moves of kings", async (page) => {
  await setUp(page, "frisian", "W:W28:B27,6");
  await type(page, "28x26");
  await moves(page, 1);
  await setUp(page, "frisian", "W:WK28,50:B2:+0+328");
  assert.deepEqual(await variant(page), ["Frisian"]);
  // The king has moved three times.
  await page.waitForSelector('.cell.movable[data-square="50"]');
  assert.equal(await page.locator(".cell.movable").count(), 1);
  await type(page, "50-45");
  await moves(page, 1);
  const written = await pdn(page);
  assert.ok(written.includes('[FEN "W:WK28,50:B2:+0+328"]') && written.includes('[GameType "40'), written);
  await setUp(page, "killer", "W:WK28,50:B2:+0+328");
  assert.match(await text(page, "#fen-problem"), /White has no king on square 28 whose moves count/);
});

onPage("a link and a file bring a variant", async (page) => {
  await page.goto(host.url + "#variant=losing&fen=W:W32:B22&view=analysis");
  await page.waitForFunction(() => document.querySelector("#variant").textContent === "Losing");
  await type(page, "32-28");
  await moves(page, 1);
  const link = await page.evaluate(() => {
    let copied = "";
    Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: async (words) => void (copied = words) } });
    document.querySelector("#copy-link").click();
    return new Promise((resolve) => setTimeout(() => resolve(copied), 100));
  });
  assert.match(link, /variant=losing/);
  await read(page, '[White "A"]\n[GameType "98"]\n1. 32-28 19-23 2. 28x19 14x23 *\n\n[White "B"]\n[GameType "40"]\n1. 32-28 *\n');
  await says(page, /^2 |Games read: 2/);
  assert.deepEqual(await variant(page), ["Losing"]);
  await show(page, "game");
  await page.click("#games tr:nth-child(2) button");
  assert.deepEqual(await variant(page), ["Frisian"]);
});

onPage("games of a database are of one variant where a position is meant", async (page) => {
  await show(page, "database");
  const games = '[White "I"]\n1. 32-28 18-23 *\n\n[White "F"]\n[GameType "40"]\n1. 32-28 19-24 *\n';
  await page.setInputFiles("#db-file", { name: "games.pdn", mimeType: "text/plain", buffer: Buffer.from(games) });
  await says(page, /^2 games$/, "#db-count");
  await says(page, /Frisian/, "#db-games");
  await within(page, "filter-pop", () => page.selectOption("#db-variant", "frisian"));
  await says(page, /^1 game$/, "#db-count");
  await page.click('#db-games button:has-text("F")');
  await page.waitForFunction(() => document.querySelector("#variant").textContent === "Frisian");
  await show(page, "database");
  // The position on the board, in its variant.
  await page.click('#db-chips [data-chip="variant"].on');
  await says(page, /^2 games$/, "#db-count");
  await page.click('#db-chips [data-chip="here"]');
  await says(page, /^1 game$/, "#db-count");
});
