// A file of 5,000 games: opened, searched, sorted, stepped through.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { test } from "node:test";

import { menu, show, text } from "./pages.js";
import { browser, host } from "./stage.js";

const COUNT = 5000;
const MOVES = `1. 34-29 17-21 2. 29-23 18x29 3. 33x24 20x29 4. 31-26 15-20 5. 26x17 11x22 6. 35-30 12-17 7.
30-24 19x30 8. 40-34 29x40 9. 44x15 14-19 10. 32-27 22x31 11. 37x26 7-11 12. 50-44 1-7 13. 41-37
10-14 14. 37-31 13-18 15. 46-41 8-13 16. 41-37 7-12 17. 37-32 2-8 18. 32-28 17-21 19. 26x17 11x33`;

test("5,000 games are opened, searched, sorted and stepped through", { timeout: 300_000 }, async (t) => {
  const page = await browser.newPage({ locale: "en-GB" });
  page.setDefaultTimeout(120_000);
  await page.goto(host.url);
  await page.waitForSelector("body[data-ready]");
  const games = Array.from({ length: COUNT }, (_, index) =>
    `[White "White ${index}"]\n[Black "Black ${(index * 7919) % COUNT}"]\n[Result "1-1"]\n\n${MOVES} 1-1\n`).join("\n");
  await show(page, "game");
  await menu(page, "[data-act=open]");
  await page.evaluate((games) => (document.querySelector("#pdn-text").value = games), games);
  const opened = await page.evaluate(async (count) => {
    const begun = performance.now();
    document.querySelector("#pdn-read").click();
    while (!document.querySelector("#games-count").textContent.includes(String(count))) await new Promise((go) => setTimeout(go, 10));
    return performance.now() - begun;
  }, COUNT);
  await page.evaluate(() => document.querySelector("#forward").focus());
  const steps = await page.evaluate(async () => {
    const option = document.querySelector("#games tr:nth-child(40)");
    const times = [];
    for (let step = 0; step < 30; step++) {
      const begun = performance.now();
      document.querySelector("#forward").click();
      times.push(performance.now() - begun);
      await new Promise((go) => requestAnimationFrame(() => setTimeout(go, 20)));
    }
    times.sort((a, b) => a - b);
    // The list was not rebuilt: its elements are the same.
    return { median: times[15], longest: times.at(-1), same: option.isConnected };
  });
  t.diagnostic(`opened in ${Math.round(opened)} ms; a step: ${steps.median.toFixed(1)} ms, at most ${steps.longest.toFixed(1)} ms`);
  assert.ok(steps.same, "a step does not list the games again");
  assert.equal(await text(page, "#moves button.m[aria-current]"), "8-13");
  await page.fill("#games-search", "white 4321");
  // As White and as Black.
  assert.match(await text(page, "#games-count"), /^2 of 5000$/);
  await page.click("#games tr[data-game='4321'] button");
  assert.equal(await page.locator("#tag-White").inputValue(), "White 4321");
  await page.fill("#games-search", "");
  await page.click("#games-sort [data-sort=Black]");
  assert.match(await page.locator("#games tr").first().innerText(), /White 0\s+Black 0/);
  assert.match(await page.locator("#games tr").nth(1).innerText(), /Black 1\s+1-1/);
  // A page of the list has fifty games.
  assert.equal(await page.locator("#games tr").count(), 50);
  await page.click("#games-later");
  assert.match(await page.locator("#games tr").first().innerText(), /Black 50\s/);
  await page.close();
});
