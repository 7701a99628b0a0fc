// The npm packages: made, installed into an empty page, and used.
//
// SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { launch, serveFolder } from "./hosts.js";

const { SITE } = process.env;
const make = fileURLToPath(new URL("../../engine/web/package/make", import.meta.url));

test("packages are installed into an empty page", { skip: !SITE, timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "package-"));
  execFileSync(make, [SITE, folder]);
  const packed = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  assert.equal(packed.length, 2, packed.join());
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const files = packed.map((name) => "./" + name);
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent", ...files], { cwd: folder });
  await writeFile(join(folder, "index.html"), `<!DOCTYPE html><html lang="en"><title>Empty</title>
    <script type="importmap">{ "imports": { "meerslag-engine": "./node_modules/meerslag-engine/engine/local.js" } }</script>
    <script type="module" src="node_modules/meerslag-board/meerslag-board.js"></script>
    <script type="module">import { Local } from "meerslag-engine"; window.engine = new Local();</script>
    <meerslag-board interactive></meerslag-board></html>`);
  const host = await serveFolder(folder);
  const browser = await launch();
  try {
    const page = await browser.newPage({ locale: "en-GB" });
    page.setDefaultTimeout(60_000);
    await page.goto(host.url);
    const cell = (square) => page.locator(`.cell[data-square="${square}"]`);
    await page.locator(".cell.movable").first().waitFor();
    await cell(32).click();
    await cell(28).click();
    await page.waitForFunction(() => document.querySelector("meerslag-board").fen?.startsWith("B:"));
    assert.ok(!host.sent.some(({ file }) => file.endsWith("meerslag.wasm.gz")), "a board needs no engine");
    const said = await page.evaluate(async () => {
      const { engine } = /** @type {any} */ (window);
      const { text } = await engine.ask("play", { level: 1 });
      const { value, dtw } = await engine.ask("probe", { fen: "W:WK11:BK2,K6" });
      const depths = [];
      await engine.analyse({ depth: 5 }, ({ depth }) => depths.push(depth));
      return { text, value, dtw, last: depths.at(-1) };
    });
    assert.match(said.text, /^\d+-\d+$/);
    assert.deepEqual({ ...said, text: "" }, { text: "", value: "loss", dtw: 8, last: 5 });
    const missing = host.sent.filter(({ file, status }) => status === 404 && file !== "favicon.ico");
    assert.deepEqual(missing, []);
  } finally {
    await browser.close();
    host.stop();
    await rm(folder, { recursive: true });
  }
});
