// The element <meerslag-board>: its own page, and pages that use it.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { test } from "node:test";

import { barriers, faults } from "./reading.js";
import { browser, host } from "./stage.js";

/** A page of the same host with this content. */
const pageWith = async (content, more = {}) => {
  const page = await browser.newPage({ locale: "en-GB", reducedMotion: "reduce", ...more });
  page.setDefaultTimeout(60_000);
  await page.route("**/own.html", (request) => request.fulfill({
    contentType: "text/html",
    body: `<!DOCTYPE html><html lang="en"><title>Own</title><main><h1>Own</h1>${content}</main>
      <script>
        window.heard = [];
        for (const name of ["move", "change", "error"]) {
          document.querySelector("meerslag-board").addEventListener(name, ({ detail }) => heard.push([name, detail]));
        }
      </script>
      <script type="module" src="meerslag-board.js"></script></html>`,
  }));
  await page.route("**/own.pdn", (request) => request.fulfill({ body: "1. 34-30 20-25 2. 30-24 19x30 *" }));
  await page.goto(host.url + "own.html");
  return page;
};

const heard = (page, name, count = 1) =>
  page.waitForFunction(([name, count]) => heard.filter(([one]) => one === name).length >= count, [name, count])
    .then(() => page.evaluate((name) => heard.filter(([one]) => one === name).map(([, detail]) => detail), name));

const cell = (page, square) => page.locator(`meerslag-board .cell[data-square="${square}"]`);

test("its page shows a position, a game and a board, without violations", { timeout: 300_000 }, async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.newPage({ locale: "en-GB", colorScheme });
    const failed = [];
    page.on("requestfailed", (request) => failed.push(request.url()));
    await page.goto(host.url + "element.html");
    await page.waitForFunction(() => [...document.querySelectorAll("meerslag-board")].every(({ fen }) => fen));
    assert.equal(await page.evaluate(() => document.querySelector("#shown").fen), "W:W27,28,32,37:B14,18,19,23");
    assert.match(await page.locator("#read").locator("[role=status]").innerText(), /^1\.\.\. 18-23 Both are developed/);
    assert.deepEqual(await barriers(page), []);
    assert.deepEqual(await faults(page), []);
    assert.deepEqual(failed, []);
    await page.close();
  }
});

test("the reader moves by hand and by keyboard, and the page hears of it", { timeout: 300_000 }, async () => {
  const page = await pageWith('<meerslag-board interactive="W" aria-label="Exercise"></meerslag-board>');
  await heard(page, "change");
  await cell(page, 32).click();
  assert.match(await cell(page, 28).getAttribute("aria-label"), /can go here/);
  await cell(page, 28).click();
  assert.deepEqual((await heard(page, "move"))[0].move, "32-28");
  // Black's moves are the page's.
  await cell(page, 19).click();
  await cell(page, 23).click();
  assert.equal(await page.evaluate(() => heard.filter(([name]) => name === "move").length), 1);
  assert.equal(await page.evaluate(() => document.querySelector("meerslag-board").play("19-24x")), false);
  assert.equal(await page.evaluate(() => document.querySelector("meerslag-board").play("19-23")), true);
  await heard(page, "change", 3);
  await cell(page, 28).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.querySelector("meerslag-board").shadowRoot.activeElement.dataset.square), "19");
  await page.keyboard.press("Enter");
  const [, , last] = await heard(page, "move", 3);
  assert.equal(last.text, "28x19");
  assert.deepEqual(await barriers(page), []);
  await page.close();
});

test("a file is stepped through; attributes can change", { timeout: 300_000 }, async () => {
  const page = await pageWith('<meerslag-board pdn="own.pdn" aria-label="Game"></meerslag-board>');
  await heard(page, "change");
  const board = page.locator("meerslag-board");
  await board.locator("[aria-label='To the end']").click();
  await heard(page, "change", 2);
  assert.match(await board.locator("[role=status]").innerText(), /^2\.\.\. 19x30/);
  // It is for reading: nothing can be moved.
  assert.equal(await board.locator(".movable").count(), 0);
  await board.evaluate((element) => element.setAttribute("fen", "B:WK11:BK2,K6"));
  await board.evaluate((element) => element.removeAttribute("pdn"));
  await page.waitForFunction(() => document.querySelector("meerslag-board").fen === "B:WK11:BK2,K6");
  await board.evaluate((element) => element.setAttribute("flipped", ""));
  const [upper, lower] = [await cell(page, 50).boundingBox(), await cell(page, 1).boundingBox()];
  assert.ok(upper.y < lower.y);
  await board.evaluate((element) => element.setAttribute("fen", "nonsense"));
  assert.match((await heard(page, "error"))[0].message, /nonsense/);
  assert.match(await board.locator("[role=status]").innerText(), /nonsense/);
  await page.close();
});
