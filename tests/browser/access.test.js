// The board for everybody: axe finds no violation in any view, language or kind of trouble.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { cell, read, says, setUp, show, speak, text, within } from "./pages.js";
import { MEERSLAG, browser, host } from "./stage.js";

const axe = await readFile(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

const violations = (page) =>
  page.evaluate(async () => {
    const { violations } = await axe.run(document);
    return violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 120)).join(" | "));
  });

for (const colorScheme of ["light", "dark"]) {
  test(`no violations in six languages, ${colorScheme}`, { timeout: 300_000 }, async () => {
    const page = await browser.newPage({ locale: "en-GB", colorScheme });
    await page.goto(host.url);
    await page.waitForSelector("body[data-ready]");
    await page.evaluate(axe);
    await read(page, "1. 32-28 {A start.} 19-23 (1... 18-23 2. 37-32) 2. 28x19 14x23 *");
    await page.click("#last");
    for (const language of ["nl", "fr", "ru", "de", "pl", "en"]) {
      await speak(page, language);
      for (const view of ["play", "analysis", "endgames", "setup", "book", "game", "learn", "database"]) {
        await show(page, view);
        assert.deepEqual(await violations(page), [], `${view}, ${language}`);
      }
      await show(page, "analysis");
      for (const name of ["note", "lines-pop", "whole-pop", "game-menu", "share-pop", "more-menu", "names", "open", "diagrams-dialog", "look"]) {
        assert.deepEqual(await within(page, name, () => violations(page)), [], `${name}, ${language}`);
      }
    }
    // Temporary parts: lines, values, an answer that does not come.
    await show(page, "analysis");
    await page.click("#analyse");
    await page.waitForSelector("#variations [data-ply]");
    assert.deepEqual(await violations(page), [], "lines");
    await page.click("#analyse");
    await setUp(page, "W:W18:B3,4,5");
    await show(page, "endgames");
    await says(page, /White wins/, "#value");
    assert.match(await text(page, "#value-more"), /in 43 plies, with 18-12 alone/);
    assert.deepEqual(await violations(page), [], "values");
    await page.route("**/v1/judge?*", (request) => request.abort());
    await page.click("#practise");
    await page.click("#lesson-form button.main");
    await says(page, /Win with/, "#title");
    assert.deepEqual(await violations(page), [], "lesson");
    await page.close();
  });
}

test("trouble is said, and dealt with by keyboard", { skip: !MEERSLAG, timeout: 300_000 }, async () => {
  const page = await browser.newPage({ locale: "en-GB" });
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(host.url);
  await page.waitForSelector("body[data-ready]");
  await page.evaluate(axe);
  await show(page, "analysis");
  await page.waitForSelector(".cell.movable");
  await page.route("**/v1/legal?*", (request) => request.fulfill({
    status: 500, contentType: "application/problem+json", body: '{"type":"/problems#internal","detail":"a fault"}',
  }));
  await cell(page, 32).click();
  await cell(page, 28).click();
  await says(page, /has failed/, "#waiting-text");
  for (const language of ["nl", "fr", "ru", "de", "pl", "en"]) {
    await speak(page, language);
    assert.deepEqual(await violations(page), [], language);
  }
  assert.equal(await page.locator("#waiting").getAttribute("role"), "alert");
  await page.unroute("**/v1/legal?*");
  await page.locator("#again").focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("#waiting", { state: "hidden" });
  // The focus does not vanish with the button.
  await page.keyboard.press("b");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "gridcell");
  await page.keyboard.press("m");
  await page.keyboard.type("19-23");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("#moves button.m").length === 2);
  await page.close();
});
