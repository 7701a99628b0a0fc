// A browser and a host of the board for the tests of a file.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch, serveFolder, startServer } from "./hosts.js";

export const { MEERSLAG, SITE } = process.env;

/** @type {import("playwright-core").Browser} */
export let browser;
/** The host of the page: the program's server, or the site without one. */
export let host;

before(async () => {
  browser = await launch();
  host = MEERSLAG ? await startServer(MEERSLAG) : await serveFolder(SITE);
});
after(async () => {
  await host.stop();
  await browser.close();
});

/** Runs a test on a fresh page, of this host or the one that `at` gives; the page may have no error. */
export const onPage = (title, work, { at = () => host, ...options } = {}) =>
  test(title, { timeout: 300_000 }, async () => {
    const context = await browser.newContext({ locale: "en-GB", ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const faults = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("dialog", (dialog) => dialog.accept());
    await page.goto(at().url);
    await page.waitForSelector("body[data-ready]");
    await work(page);
    assert.deepEqual(faults, []);
    await context.close();
  });
