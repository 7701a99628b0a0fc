// An address carries a position, moves, the side and the view.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { test } from "node:test";

import { startServer } from "./hosts.js";
import { cell, comment, menu, moves, pdn, read, says, show, text, type } from "./pages.js";
import { MEERSLAG, browser, host } from "./stage.js";

/** A page of a new visitor. */
const visit = async (address = "") => {
  const context = await browser.newContext({ locale: "en-GB", permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(host.url + address);
  await page.waitForSelector("body[data-ready]");
  return page;
};

test("a shared link shows the same in a fresh profile", { timeout: 300_000 }, async () => {
  const page = await visit();
  await read(page, '[FEN "W:W27,28,32,37:B14,18,19,23"]\n1. 28-22 19-24 2. 22x13 24-29 *');
  await moves(page, 4);
  await page.click("#forward");
  await page.click("#forward");
  await page.click("#flip");
  await menu(page, "#copy-link");
  await says(page, /^Copied: http/);
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /#fen=W:W27,28,32,37:B14,18,19,23&moves=28-22,19-24,22x13,24-29&ply=2&side=B&view=analysis$/);
  const other = await visit(link.slice(host.url.length));
  await moves(other, 4);
  assert.equal(await text(other, "#moves button.m[aria-current]"), "19-24");
  assert.equal(await other.locator("#fen-now").textContent(), await page.locator("#fen-now").textContent());
  assert.equal(await other.locator("#tab-analysis").getAttribute("aria-selected"), "true");
  const [upper, lower] = [await cell(other, 50).boundingBox(), await cell(other, 1).boundingBox()];
  assert.ok(upper.y < lower.y, "Black's side is below");
  // The list shows the move on the board.
  const [list, current] = [await other.locator("#moves").boundingBox(), await other.locator("#moves [aria-current]").boundingBox()];
  assert.ok(current.y >= list.y && current.y + current.height <= list.y + list.height + 1);
  // Moves played from there survive a reload.
  await other.click("#last");
  await other.locator(".cell.movable").first().waitFor();
  await type(other, "13-8");
  await moves(other, 5);
  await other.reload();
  await other.waitForSelector("body[data-ready]");
  await moves(other, 5);
  assert.ok(!other.url().includes("#"));
  await page.context().close();
  await other.context().close();
});

test("a link in an open page, and one that is wrong", { timeout: 300_000 }, async () => {
  const page = await visit();
  await page.evaluate(() => (location.hash = "moves=32-28,19-23,28x19&view=analysis"));
  await moves(page, 3);
  assert.equal(await text(page, "#moves button.m[aria-current]"), "28x19");
  for (const wrong of ["fen=nonsense", "moves=32-28,28-32", 'fen=W:W31:B20"]{x', "moves=<b>"]) {
    await page.evaluate((hash) => (location.hash = encodeURI(hash)), wrong);
    await says(page, /The link cannot be opened \(./);
    assert.equal(await page.locator("#moves button.m").count(), 3, wrong);
    await page.evaluate(() => (document.querySelector("#say").textContent = ""));
  }
  await page.context().close();
});

test("a file of the same origin is opened, one of another is not", { timeout: 300_000 }, async () => {
  const context = await browser.newContext({ locale: "en-GB" });
  const page = await context.newPage();
  await page.route((url) => url.pathname === "/games.pdn", (request) => request.fulfill({ body: "1. 32-28 19-23 2. 28x19 *" }));
  let foreign = 0;
  await page.route("http://example.org/**", (request) => {
    foreign++;
    return request.fulfill({ body: "1. 34-30 *" });
  });
  await page.goto(host.url + "?pdn=games.pdn#ply=1");
  await page.waitForSelector("body[data-ready]");
  await moves(page, 3);
  assert.equal(await text(page, "#moves button.m[aria-current]"), "32-28");
  await page.goto(host.url + "?pdn=http://example.org/games.pdn");
  await page.waitForSelector("body[data-ready]");
  await says(page, /cannot be opened \(.*another site/);
  await page.goto(host.url + "?pdn=missing.pdn");
  await page.waitForSelector("body[data-ready]");
  await says(page, /cannot be opened \(.*404/);
  assert.equal(foreign, 0);
  await context.close();
});

test("a link for others has an address that they can open, and a code for a phone", { timeout: 300_000, skip: !MEERSLAG }, async () => {
  // On this machine alone the page says so, and draws no code.
  const page = await visit();
  await show(page, "analysis");
  await menu(page, "#copy-link");
  await says(page, /opens on this computer only/);
  await page.click("#share-button");
  await page.locator("#share-here").waitFor();
  assert.ok(await page.locator("#share-code").isHidden());
  await page.context().close();
  const shared = await startServer(MEERSLAG, ["--host", "0.0.0.0"]);
  const other = await (await browser.newContext({ locale: "en-GB", permissions: ["clipboard-read", "clipboard-write"] })).newPage();
  await other.goto(`http://127.0.0.1:${shared.port}/`);
  await other.waitForSelector("body[data-ready]");
  await show(other, "analysis");
  const { address } = await other.evaluate(async () => (await fetch("v1/server")).json());
  // A machine without a network has no address for others.
  if (address) {
    await menu(other, "#copy-link");
    await says(other, /^Copied: http/);
    const link = await other.evaluate(() => navigator.clipboard.readText());
    assert.ok(link.startsWith(address), link);
    assert.doesNotMatch(link, /127\.0\.0\.1|localhost|0\.0\.0\.0/);
    await other.click("#share-button");
    await other.locator("#share-code").waitFor();
    const width = await other.locator("#share-code").evaluate((image) => /** @type {HTMLImageElement} */ (image).naturalWidth);
    assert.ok(width > 0);
  }
  await other.context().close();
  await shared.stop();
});

test("a link is not called the last visit, and braces stay in a comment as brackets", { timeout: 300_000 }, async () => {
  const page = await visit();
  await show(page, "analysis");
  await type(page, "32-28");
  await moves(page, 1);
  await comment(page, "a {b} c");
  assert.match(await pdn(page), /\{a \(b\) c\}/);
  const other = await page.context().newPage();
  await other.goto(host.url + "#moves=31-27&view=analysis");
  await other.waitForSelector("body[data-ready]");
  await moves(other, 1);
  assert.doesNotMatch(await other.locator("#say").textContent(), /last visit/);
  await page.context().close();
});
