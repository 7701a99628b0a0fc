// Diagrams on paper, and the look of the board: numbers around it, other pieces.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { cell, choose, menu, setUp } from "./pages.js";
import { barriers } from "./reading.js";
import { MEERSLAG, browser, host } from "./stage.js";

/** The number of pages of a PDF. */
const pagesOf = (pdf) => pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;

const visit = async () => {
  const page = await browser.newPage({ locale: "en-GB" });
  page.setDefaultTimeout(60_000);
  page.on("dialog", (dialog) => dialog.accept());
  await page.addInitScript(() => {
    window.print = () => (document.body.dataset.printed = "true");
  });
  await page.goto(host.url + "#view=analysis");
  await page.waitForSelector("body[data-ready]");
  return page;
};

test("six or twelve diagrams with captions are on a page", { timeout: 300_000 }, async () => {
  const page = await visit();
  await menu(page, "[data-act=diagrams]");
  assert.ok(await page.locator("#diagrams-print").isDisabled());
  for (let count = 1; count <= 7; count++) {
    await page.click("#diagram-add");
    assert.equal(await page.locator("#diagrams li").count(), count);
  }
  await page.click("#diagrams-dialog [data-close]");
  await setUp(page, "B:W28:BK1");
  await menu(page, "[data-act=diagrams]");
  await page.click("#diagram-add");
  await page.fill("#diagrams li:nth-child(2) input", "White <wins>");
  await page.press("#diagrams li:nth-child(2) input", "Enter");
  await page.click("#diagrams li:nth-child(1) button");
  assert.deepEqual(await barriers(page), []);
  // The list is kept for the next visit.
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await menu(page, "[data-act=diagrams]");
  assert.equal(await page.locator("#diagrams li").count(), 7);
  for (const [perPage, counts] of [["6", [6, 1]], ["12", [7]]]) {
    await page.click(`#diagrams-page [value="${perPage}"]`);
    await page.click("#diagrams-print");
    const sheets = page.locator("#sheets section");
    assert.equal(await sheets.count(), counts.length);
    for (const [place, count] of counts.entries()) assert.equal(await sheets.nth(place).locator("figure").count(), count);
    const captions = await page.locator("#sheets figcaption").allInnerTexts();
    assert.deepEqual([captions[0], captions[6]], ["1. White <wins>", "7. Black to move"]);
    assert.equal(await page.locator("#sheets figure").first().locator("g.pieces use").count(), 40);
    assert.equal(await page.locator("#sheets figure").last().locator("g.pieces use").count(), 2);
    const pdf = await page.pdf({ format: "A4" });
    assert.equal(pagesOf(pdf), counts.length, "pages of paper");
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.ok(await page.locator("#sheets").isHidden());
    await menu(page, "[data-act=diagrams]");
  }
  await page.click("#diagrams-clear");
  assert.equal(await page.locator("#diagrams li").count(), 0);
  await page.close();
});

test("the sheets of `meerslag board` fill pages of paper", { timeout: 300_000, skip: MEERSLAG ? false : "MEERSLAG is not set" }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "meerslag-"));
  try {
    // Enough for two pages of twelve and one more, with long names.
    const name = "A name as long as a name can be, with a club and a town";
    const games = Array.from({ length: 25 }, (_, place) => (
      `[White "${name}"]\n[Black "${name}"]\n[FEN "W:W50,49:B${1 + place}"]\n\n1. 50-44 *\n`));
    const [pdn, html] = ["games.pdn", "sheet.html"].map((file) => join(folder, file));
    await writeFile(pdn, games.join("\n"));
    for (const [perPage, sheets] of [["6", 5], ["12", 3]]) {
      execFileSync(MEERSLAG, ["board", pdn, "--sheet", perPage, "-o", html, "--force"]);
      for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
        const page = await browser.newPage({ viewport });
        await page.goto(pathToFileURL(html).href);
        assert.deepEqual(await barriers(page), []);
        assert.equal(await page.locator("figure").count(), 25);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= viewport.width, `${wide} is wider than ${viewport.width}`);
        // Each board is whole, and its caption is below it.
        for (const figure of [page.locator("figure").first(), page.locator("figure").last()]) {
          const [board, caption] = await Promise.all([figure.locator("svg").boundingBox(), figure.locator("figcaption").boundingBox()]);
          assert.ok(board.height > 100 && caption.y >= board.y + board.height - 1, JSON.stringify([board, caption]));
        }
        // One more page with the solutions.
        assert.equal(pagesOf(await page.pdf({ preferCSSPageSize: true })), sheets + 1, "pages of paper");
        await page.close();
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("numbers stand around the board, and squares are where they are seen", { timeout: 300_000 }, async () => {
  const page = await visit();
  await choose(page, "#set-coordinates", "outside");
  await choose(page, "#set-pieces", "red");
  const seen = page.locator("#frame .number:not([hidden])");
  const numbers = await seen.evaluateAll((all) => all.map((one) => Number(/** @type {HTMLElement} */ (one).dataset.square)).sort((a, b) => a - b));
  assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 15, 16, 25, 26, 35, 36, 45, 46, 47, 48, 49, 50]);
  // Each number is beside its square, outside the board, on both sides of it.
  for (const isTurned of [false, true]) {
    if (isTurned) await page.click("#flip");
    for (const number of [1, 5, 15, 36, 46, 50]) {
      const box = await page.locator(`#frame .number[data-square="${number}"]`).boundingBox();
      const square = await cell(page, number).boundingBox();
      const [right, below] = [box.x + box.width / 2 - square.x - square.width / 2, box.y + box.height / 2 - square.y - square.height / 2];
      const far = Math.max(Math.abs(right), Math.abs(below)) / square.width;
      assert.ok(far > 0.5 && far < 1.1, `${number}: ${far}`);
    }
    const piece = await page.locator('#frame .piece[data-square="31"]').boundingBox();
    const target = await cell(page, 31).boundingBox();
    assert.ok(Math.abs(piece.x - target.x) < 0.15 * target.width && Math.abs(piece.y - target.y) < 0.2 * target.height);
  }
  const black = () => page.locator("#frame .piece.b").first().evaluate((node) => getComputedStyle(node).getPropertyValue("--f").trim());
  assert.equal(await black(), "#9e2b25");
  // It stays for the next visit, and can be changed back.
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  assert.equal(await seen.count(), 18);
  await choose(page, "#set-coordinates", "inside");
  assert.equal(await seen.count(), 50);
  await page.close();
});
