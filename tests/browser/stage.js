// A browser and a host of the board for the tests of a file.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import { after, before } from "node:test";

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
