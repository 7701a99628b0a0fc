// The view of a database of games, and the index that replaces it on a site without a server.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { serveFolder, startServer } from "./hosts.js";
import { cell, choose, menu, moves, read, says, show, text, undo, within } from "./pages.js";
import { browser, MEERSLAG, SITE } from "./stage.js";

const GAMES = `[Event "Club"]
[Date "1977.05.01"]
[White "Sijbrands, Ton"]
[Black "Wiersma, Harm"]
[WhiteRating "2400"]
[Result "2-0"]

1. 32-28 19-23 2. 28x19 14x23 2-0

[Event "Open"]
[Date "1980.??.??"]
[White "Wiersma, Harm"]
[Black "Clerc, Rob"]
[Result "1-1"]

1. 32-28 18-22 1-1

[Event "Open"]
[Date "1981.01.02"]
[White "Clerc, Rob"]
[Black "Gantwarg, Anatoli"]
[Result "0-2"]

1. 31-27 19-23 2. 33-28 0-2
`;

let folder;
/** A server with an empty file of games, or the site. */
let host;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "meerslag-"));
  host = MEERSLAG
    ? await startServer(MEERSLAG, ["--games", join(folder, "all.games"), "--games-add"])
    : await serveFolder(SITE);
});
after(async () => {
  await host.stop();
  await rm(folder, { recursive: true });
});

/** A page with the view of games open, and the games in it. */
const open = async () => {
  const context = await browser.newContext({ locale: "en" });
  const page = await context.newPage();
  await page.goto(host.url);
  await page.waitForSelector("body[data-ready]");
  await show(page, "database");
  await page.setInputFiles("#db-file", { name: "games.pdn", mimeType: "text/plain", buffer: Buffer.from(GAMES) });
  // The same file again is not read.
  await says(page, /New: (3 of 3|0 of)/, "#db-added");
  await page.waitForSelector("#db-games tr");
  return page;
};

const counts = (page, pattern) => says(page, pattern, "#db-count");

test("games are found while one types, and by the position on the board", async () => {
  const page = await open();
  await counts(page, /^3 games$/);
  await page.fill("#db-player", "wiers");
  await counts(page, /^2 games$/);
  await within(page, "filter-pop", () => page.fill("#db-years", "1980-"));
  await counts(page, /^1 game$/);
  assert.equal(await text(page, "#db-filters"), "1");
  await page.fill("#db-player", "");
  // A set filter is a chip with a cross.
  await page.click('#db-chips [data-chip="years"].on');
  assert.equal(await page.locator("#db-years").inputValue(), "");
  for (const [field, value, found] of [
    ["opponent", "wiersma", /^2 games$/], ["rating", "1000", /^0 games$/], ["length", "3-", /^2 games$/],
    ["manoeuvre", "32-28 28x19", /^1 game$/],
  ]) {
    const fill = (words) => page.fill("#db-" + field, words);
    await (field === "opponent" ? fill(value) : within(page, "filter-pop", () => fill(value)));
    await counts(page, found);
    // Where no game fits, the filters can be taken away.
    if (found.test("0 games")) await page.click(`#db-none [data-chip="${field}"]`);
    else await (field === "opponent" ? fill("") : within(page, "filter-pop", () => fill("")));
    await counts(page, /^3 games$/);
  }
  await page.click('#db-sorts [data-sort="date"]');
  await says(page, /^Clerc, RobGantwarg/, "#db-games");
  // The position on the board is no filter until it is asked for.
  await page.click('#db-moves button:has-text("32-28")');
  await says(page, /19-23/, "#db-moves");
  await counts(page, /^3 games$/);
  await page.click('#db-chips [data-chip="here"]');
  await counts(page, /^2 games$/);
  const label = await page.locator("#db-moves .split").first().getAttribute("aria-label");
  assert.match(label, /^White \d+ %, draw \d+ %, Black \d+ %$/);
  await page.click('#db-games button:has-text("Sijbrands")');
  await page.waitForFunction(() => document.querySelectorAll("#moves button.m").length === 4);
  // The board shows the requested position.
  assert.equal(await page.locator("#rail-analysis").getAttribute("aria-current"), "page");
  assert.equal(await text(page, "#turn"), "Black to move");
  // The moves of all games are beside the board, too.
  await show(page, "game");
  await choose(page, "#game-source", "all");
  await page.waitForSelector("#tree-here #db-moves tr");
  await page.context().close();
});

test("a pattern is drawn on the board with three kinds of marks", async () => {
  const page = await open();
  await page.click("#db-draw");
  await counts(page, /^3 games$/);
  await cell(page, 28).click();
  await counts(page, /^3 games$/);
  await choose(page, "#db-kind", "not");
  await choose(page, "#db-piece", "b");
  await cell(page, 23).click();
  await cell(page, 22).click();
  await counts(page, /^2 games$/);
  assert.match(await cell(page, 23).getAttribute("aria-label"), /Black man, must not be there/);
  await cell(page, 23).click();
  await choose(page, "#db-kind", "one-of");
  await cell(page, 23).click();
  await cell(page, 22).click();
  await counts(page, /^3 games$/);
  await page.click("#db-clear");
  await page.click("#db-draw");
  assert.match(await cell(page, 31).getAttribute("aria-label"), /White man/);
  await page.context().close();
});

test("the view has no faults that axe finds", async () => {
  const page = await open();
  await page.click("#db-draw");
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => /** @type {any} */ (globalThis).axe.run());
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
  await page.context().close();
});

test("the index of a page answers as the server does", { skip: !MEERSLAG }, async () => {
  const { Collection } = await import("../../engine/web/engine/collection.js");
  const post = async (route, query, body) => {
    const headers = { "Content-Type": route === "boards" ? "application/json" : "text/plain" };
    const response = await fetch(host.url + "v1/" + route + "?" + new URLSearchParams(query), { method: "POST", body, headers });
    return response.json();
  };
  await post("games/import", {}, GAMES);
  const collection = new Collection(post);
  assert.equal((await collection.ask("games/import", {}, GAMES)).added, 3);
  assert.equal((await collection.ask("games/import", {}, GAMES)).added, 0);
  const server = async (route, query) => (await fetch(host.url + "v1/" + route + "?" + new URLSearchParams(query))).json();
  for (const query of [
    {}, { player: "wiersma" }, { player: "wiersma", color: "black" }, { event: "op" }, { years: "1978-" }, { years: "1977" }, { result: "1-1" }, { sort: "date" },
    { sort: "white" }, { position: "B:W28,31,33-50:B1-20" }, { position: "B:W28,31,33-50:B1-20", player: "clerc" },
    { position: "W:W31-50:B1-18,20,23", twin: "true" },
    { pattern: "w28 b23" }, { pattern: "w28 not b22" }, { pattern: "one-of b22,23 one-of w27,28" }, { pattern: "b19 .32", twin: "true" },
    { skip: "1", limit: "1" }, { opponent: "clerc" }, { player: "harm", opponent: "ton" }, { length: "3-" },
    { length: "-2" }, { manoeuvre: "32-28 28x19" }, { manoeuvre: "28x19 32-28" }, { min_rating: "2000" },
    { pattern: "w28 b23", lasting: "2" }, { pattern: "w28", manoeuvre: "32-28 19-23", within: "2" }, { material: "2020" },
  ]) {
    const { total, games } = await server("games/find", query);
    assert.deepEqual(await collection.ask("games/find", query), { total, games }, JSON.stringify(query));
  }
  for (const query of [{}, { player: "ton" }, { fen: "B:W28,31,33-50:B1-20" }, { twin: "true" }, { length: "3-" }, { manoeuvre: "32-28 28x19" }]) {
    const full = { fen: "W:W31-50:B1-20", ...query };
    const few = ({ move, games, share, rating, first_year, last_year }) => ({ move, games, share, rating, first_year, last_year });
    const sorted = (moves) => moves.map(few).sort((a, b) => a.move.localeCompare(b.move));
    const { moves } = await server("games/tree", full);
    assert.deepEqual(sorted((await collection.ask("games/tree", full)).moves), sorted(moves), JSON.stringify(query));
  }
});

test("files in old encodings are read as everywhere", async () => {
  const page = await open();
  const name = [0xc8, 0xc2, 0xc0, 0xcd, 0xce, 0xc2, 0x20, 0xc0, 0x2e];
  const buffer = Buffer.concat([Buffer.from('[White "'), Buffer.from(name), Buffer.from('"]\n\n1. 32-28 *\n')]);
  const file = { name: "old.pdn", mimeType: "text/plain", buffer };
  await page.setInputFiles("#db-file", file);
  await says(page, /New: 1 of 1/, "#db-added");
  await page.setInputFiles("#pdn-file", file);
  await page.waitForFunction(() => document.querySelector("#tag-White").value === "ИВАНОВ А.");
  await page.context().close();
});

test("a game is saved into the user's games, and a found one joins the game on the board", async () => {
  const page = await open();
  // The sum of all moves; the games of a player with a colour.
  await says(page, /^All\d/, "#db-sum");
  await page.fill("#db-player", "wiersma");
  await within(page, "filter-pop", () => choose(page, "#db-color", "white"));
  await counts(page, /^1 game$/);
  await says(page, /Player’s side: White/, "#db-chips");
  await page.click('#db-chips [data-chip="color"]');
  await page.fill("#db-player", "");
  await read(page, '[White "My"]\n[Black "Self"]\n\n1. 32-28 17-22 *');
  await menu(page, "[data-act=mine]");
  await says(page, /The game is in your games/);
  await menu(page, "[data-act=mine]");
  await says(page, /in your games already/);
  await show(page, "database");
  await page.fill("#db-player", "my");
  await counts(page, /^1 game$/);
  await page.fill("#db-player", "sijbrands");
  await page.click('#db-games tr:has-text("Sijbrands") [data-merge]');
  await says(page, /Sijbrands, Ton - Wiersma, Harm was joined as a variation/);
  // 32-28 is common; 19-23 28x19 14x23 are a variation, with its source.
  await moves(page, 5);
  assert.equal(await text(page, "#moves button.m[aria-current]"), "14x23");
  assert.match(await page.locator("#position-comment").textContent(), /Sijbrands, Ton - Wiersma, Harm, 2-0, Club/);
  await undo(page);
  await moves(page, 2);
  await page.context().close();
});

test("without a file of the server the browser keeps the games, and forgets them when told", async () => {
  const own = MEERSLAG ? await startServer(MEERSLAG) : host;
  const page = await (await browser.newContext({ locale: "en" })).newPage();
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(own.url);
  await page.waitForSelector("body[data-ready]");
  await show(page, "database");
  assert.ok(await page.locator("#db-choose").isVisible());
  await page.setInputFiles("#db-file", { name: "games.pdn", mimeType: "text/plain", buffer: Buffer.from(GAMES) });
  await says(page, /New: 3 of 3/, "#db-added");
  await counts(page, /^3 games$/);
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await show(page, "database");
  await counts(page, /^3 games$/);
  await page.fill("#db-player", "clerc");
  await counts(page, /^2 games$/);
  await page.fill("#db-player", "");
  await page.click("#db-forget");
  await page.locator("#db-choose").waitFor();
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await show(page, "database");
  await page.locator("#db-choose").waitFor();
  await page.context().close();
  if (MEERSLAG) await own.stop();
});
