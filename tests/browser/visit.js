// How long a first visit of the site takes on a slow line, as its user feels it: `npm run visit`, on a quiet machine.
//
// SITE: the exported site. The line: 1.6 Mbit/s, 150 ms there and back. Times are taken in the page, in seconds from
// the click on the link: a test driver would see them late.

import { launch, serveFolder } from "./hosts.js";
import { cell } from "./pages.js";

const { SITE } = process.env;
if (!SITE) throw new Error("set SITE to the exported site");
const LINE = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 50_000 };
const VISITS = 3;

/** Marks the moments at which the board can be moved, and at which the engine has answered once and twice. */
const watch = () => {
  const played = () => document.querySelectorAll("#moves button.m").length;
  const moments = { board: () => document.querySelector(".cell.movable"), first: () => played() === 2, second: () => played() === 4 };
  new MutationObserver(() => {
    for (const [name, hasCome] of Object.entries(moments)) {
      if (performance.getEntriesByName(name).length === 0 && hasCome()) performance.mark(name);
    }
  }).observe(document, { subtree: true, attributes: true, childList: true });
};

const browser = await launch();
const host = await serveFolder(SITE);
for (let visit = 1; visit <= VISITS; visit++) {
  const context = await browser.newContext({ locale: "en-GB" });
  await context.addInitScript(watch);
  const page = await context.newPage();
  const line = await context.newCDPSession(page);
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", LINE);
  /** Seconds until this moment. */
  const time = async (name) => {
    await page.waitForFunction((name) => performance.getEntriesByName(name).length > 0, name);
    return page.evaluate((name) => (performance.getEntriesByName(name)[0].startTime / 1000).toFixed(2), name);
  };
  await page.goto(host.url);
  const board = await time("board");
  await cell(page, 32).click();
  await cell(page, 28).click();
  const first = await time("first");
  await cell(page, 37).click();
  await cell(page, 32).click();
  const second = await time("second");
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.reload();
  console.log(`visit ${visit}: board ${board} s, first answer ${first} s, second ${second} s; later visit ${await time("board")} s`);
  await context.close();
}
host.stop();
await browser.close();
