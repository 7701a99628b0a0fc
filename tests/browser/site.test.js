// The site without a server: the order of loading, use without a network, and a new version.
//
// SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";

import { launch, serveFolder } from "./hosts.js";
import { cell, level, moves, says, setUp, show } from "./pages.js";

const { SITE, MEERSLAG } = process.env;
const run = promisify(execFile);

const [ENGINE, RULES, DATABASES, EVALUATION] = ["meerslag.wasm.gz", "rules.wasm.gz", "databases.bin.gz", "evaluation.bin.gz"];

describe("the site", { skip: !SITE, timeout: 300_000 }, () => {
  /** @type {import("playwright-core").Browser} */
  let browser;
  let folder;
  /** Stopped also after a failed test, or the program goes on for ever. @type {{ stop: () => void }[]} */
  const hosts = [];
  const serve = async (folder, port) => {
    const host = await serveFolder(folder, port);
    hosts.push(host);
    return host;
  };

  before(async () => {
    browser = await launch();
    folder = await mkdtemp(join(tmpdir(), "site-"));
  });
  after(async () => {
    for (const host of hosts) host.stop();
    await browser.close();
    await rm(folder, { recursive: true });
  });

  const open = async (context, host) => {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(host.url);
    await page.waitForSelector("body[data-ready]");
    return page;
  };

  /** Waits until the site is stored in the browser. */
  const isKept = (page) => page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller) {
      await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
    }
  });

  /** Plays a game against level 1 until the engine has answered once. */
  const playOnce = async (page) => {
    await show(page, "play");
    await level(page, 1);
    await page.click("#play-start");
    await says(page, /Your move/);
    await cell(page, 32).click();
    await cell(page, 28).click();
    await moves(page, 2);
  };

  test("the first visit fetches little, and what it needs first comes first", async () => {
    const host = await serve(SITE);
    const context = await browser.newContext({ locale: "en-GB" });
    const page = await open(context, host);
    assert.ok(await page.locator(".cell.movable").count());
    const { sent } = host;
    // The engine is on its way beside what the board needs; when it is there, the site is stored.
    const stored = sent.findIndex(({ file }) => file === "offline.js");
    const begin = sent.slice(0, stored < 0 ? sent.length : stored).filter(({ file }) => file !== ENGINE);
    const names = begin.map(({ file }) => file);
    for (const name of ["index.html", "first.json", "style/page.css", "views/main.js", "texts/en.json"]) {
      assert.ok(names.includes(name), name);
    }
    assert.ok(names.length < 15, names.join());
    const bytes = (list) => list.reduce((sum, one) => sum + one.bytes, 0);
    assert.ok(bytes(begin) < 99_000, `${bytes(begin)} bytes for a board`);
    // Drawings are parts of the page: script, style and texts are less.
    const code = begin.filter(({ file }) => /\.(js|css)$|texts/.test(file));
    assert.ok(bytes(code) < 84_000, `${bytes(code)} bytes of script, style and texts`);
    await isKept(page);
    await playOnce(page);
    // The engine knows the rules, too.
    assert.ok(!sent.some(({ file }) => [DATABASES, RULES].includes(file)));
    const game = sent.filter(({ file }) => file !== EVALUATION);
    assert.ok(bytes(game) < 1_000_000, `${bytes(game)} bytes for a first game`);
    // The service worker has not fetched the page's files again.
    assert.ok(sent.filter(({ file, bytes }) => file === ENGINE && bytes > 0).length === 1);
    // The databases come with the first endgame, once.
    await setUp(page, "W:WK11:BK2,K6");
    await show(page, "endgames");
    await says(page, /in 8 plies/, "#value-more");
    assert.equal(sent.filter(({ file }) => file === DATABASES).length, 1);
    await context.close();
    host.stop();
  });

  test("the large evaluation comes at the end, where it is wanted", async () => {
    const host = await serve(SITE);
    const { sent } = host;
    const place = (name) => sent.findIndex(({ file }) => file === name);
    const comes = (page) => page.waitForResponse((response) => response.url().endsWith(EVALUATION), { timeout: 5_000 }).then(() => true, () => false);
    // Not wanted, or dear.
    for (const refuse of [
      () => localStorage.setItem("settings", JSON.stringify({ evaluation: false })),
      () => Object.defineProperty(navigator, "connection", { value: { saveData: true } }),
    ]) {
      const context = await browser.newContext({ locale: "en-GB" });
      await context.addInitScript(refuse);
      const page = await open(context, host);
      await isKept(page);
      assert.ok(!(await comes(page)));
      await context.close();
    }
    assert.equal(place(EVALUATION), -1);
    const context = await browser.newContext({ locale: "en-GB" });
    const page = await open(context, host);
    await isKept(page);
    assert.ok(place(EVALUATION) >= 0 || (await comes(page)));
    assert.ok(place(EVALUATION) > place("offline.js"), "it does not delay what is needed");
    // Scores depend on the evaluation.
    const [small, large, again] = await page.evaluate(async () => {
      const { Local } = await import(new URL("engine/local.js", location.href).href);
      const local = await Local.connect();
      const scored = async (isStrong) => {
        await local.strengthen(isStrong);
        return (await local.ask("play", { fen: "W:W27,28,32,37,38,42:B14,18,19,23,24", nodes: 20_000 })).score;
      };
      return [await scored(false), await scored(true), await scored(false)];
    });
    assert.equal(small, again);
    assert.notEqual(small, large);
    await context.close();
    host.stop();
  });

  test("the size of the large evaluation is as the settings say", async () => {
    const megabytes = (await stat(join(SITE, EVALUATION))).size / 1e6;
    for (const name of await readdir(join(SITE, "texts"))) {
      if (!name.endsWith(".json")) continue;
      const { setEvaluation } = JSON.parse(await readFile(join(SITE, "texts", name), "utf8"));
      const figure = megabytes.toLocaleString(name.slice(0, 2), { minimumFractionDigits: 1, maximumFractionDigits: 1 });
      assert.ok(setEvaluation.includes(figure), `${name}: ${setEvaluation}, not ${figure}`);
    }
  });

  test("a game begins before the engine is there", async () => {
    const host = await serve(SITE);
    const context = await browser.newContext({ locale: "en-GB" });
    // It is on its way for ever.
    await context.route("**/" + ENGINE, () => {});
    const page = await open(context, host);
    await playOnce(page);
    assert.ok(await page.locator(".cell.movable").count(), "the next move is known to be legal");
    await context.close();
    host.stop();
  });

  test("a page that cannot run says so beside a drawn board", async () => {
    const host = await serve(SITE);
    const context = await browser.newContext();
    await context.route("**/views/main.js", (request) => request.abort());
    for (const url of [host.url, pathToFileURL(join(SITE, "index.html")).href]) {
      const page = await context.newPage();
      await page.goto(url);
      const late = page.locator("#late");
      assert.ok(!(await late.isVisible()), "a page that is on its way says nothing of it");
      await late.waitFor({ state: "visible" });
      assert.match(await page.locator("#loading").innerText(), /is loading[^]*load it again[^]*Opened as a file it cannot run/);
      const board = await page.locator("#frame svg").boundingBox();
      assert.ok(board.width > 400 && Math.abs(board.width - board.height) < 1);
      // What stands at the middle of the square 31 is a man, at the middle of 26 nothing but the square.
      const at = (x, y) => page.evaluate(([x, y]) => document.elementFromPoint(x, y).localName, [board.x + x * board.width, board.y + y * board.height]);
      assert.equal(await at(0.15, 0.65), "use");
      assert.equal(await at(0.05, 0.55), "rect");
      await page.close();
    }
    await context.close();
    host.stop();
  });

  test("after one visit the site works without a network", async () => {
    const host = await serve(SITE);
    const context = await browser.newContext({ locale: "en-GB" });
    const first = await open(context, host);
    await isKept(first);
    await first.close();
    host.stop();
    const page = await open(context, host);
    await playOnce(page);
    // The databases were never fetched: the page says so, and goes on.
    await setUp(page, "W:WK11:BK2,K6");
    await says(page, /./, "#waiting-text");
    const again = await serve(SITE, host.port);
    await show(page, "endgames");
    await page.click("#again");
    await says(page, /in 8 plies/, "#value-more");
    await page.close();
    again.stop();
    // Now they work without a network, too.
    const last = await open(context, host);
    await setUp(last, "W:WK11:BK2,K7");
    await show(last, "endgames");
    await says(last, /wins|draw/, "#value");
    await context.close();
  });

  test("a new site takes the place of the old one, whole", async () => {
    await cp(SITE, folder, { recursive: true });
    const change = async (name, before, after) => {
      const text = await readFile(join(folder, name), "utf8");
      assert.match(text, before);
      await rm(join(folder, name + ".gz"), { force: true });
      await writeFile(join(folder, name), text.replace(before, after));
    };
    const host = await serve(folder);
    const context = await browser.newContext({ locale: "en-GB" });
    const page = await open(context, host);
    await isKept(page);
    await change("texts/en.json", /"Copy link"/, '"Copy this link"');
    await change("offline.js", /VERSION = "\w+"/, 'VERSION = "another"');
    await page.reload();
    await page.waitForSelector("body[data-ready]");
    assert.equal(await page.locator("#copy-link b").textContent(), "Copy link");
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      while (!registration.waiting) await new Promise((resolve) => setTimeout(resolve, 50));
    });
    // The browser starts the new one when the old one has been idle for a while.
    let next = page;
    do {
      await next.close();
      next = await open(context, host);
    } while ((await next.locator("#copy-link b").textContent()) !== "Copy this link");
    // The large evaluation is the same in both.
    const caches = (await next.evaluate(() => globalThis.caches.keys())).filter((name) => !name.includes(EVALUATION));
    assert.equal(caches.length, 1, caches.join());
    assert.match(caches[0], /another$/);
    await context.close();
    host.stop();
  });

  test("large endgame databases come in parts, and stay", { skip: !MEERSLAG && "needs MEERSLAG" }, async () => {
    const [modules, site] = [join(folder, "modules"), join(folder, "endgames")];
    await mkdir(modules);
    for (const name of [ENGINE, RULES]) {
      await writeFile(join(modules, name.replace(".gz", "")), gunzipSync(await readFile(join(SITE, name))));
    }
    const file = join(import.meta.dirname, "0302.mds");
    await run(MEERSLAG, ["serve", "--export", site, "--wasm", modules, "--egdb", file]);
    const host = await serve(site);
    const context = await browser.newContext();
    const page = await open(context, host);
    await isKept(page);
    const parts = () => host.sent.filter(({ file }) => file.endsWith(".mds"));
    assert.equal(parts().length, 0, "nothing of them is fetched before a question");

    /** The values of a position and of its moves. */
    const inPage = (page, fen) => page.evaluate(async (fen) => {
      const { Local } = await import("./engine/local.js");
      const local = await Local.connect();
      const { value, moves } = await local.ask("probe", { fen });
      return [value, ...moves.map((mv) => mv.move + " " + mv.value).sort()];
    }, fen);
    // Kings alone, with either side to move; one side is stored.
    for (const fen of ["W:WK16,K19:BK4,K12,K17", "B:WK16,K19:BK4,K12,K17", "B:WK47,K39,K34:BK35,K32"]) {
      const { stdout } = await run(MEERSLAG, ["egdb", "probe", "--egdb", file, "--json", fen]);
      const native = JSON.parse(stdout);
      const expected = [native.value, ...native.moves.map((mv) => mv.move + " " + mv.value).sort()];
      assert.notEqual(expected[0], null);
      assert.deepEqual(await inPage(page, fen), expected);
    }
    // The look whether the host sends parts, the head, the index, and blocks, each of which comes once.
    const isPart = ({ status, bytes }) => status === 206 && bytes <= 4096;
    assert.ok(parts().every(isPart), JSON.stringify(parts()));
    const blocks = parts().filter(({ from }) => from > 0).map(({ from }) => from);
    assert.ok(blocks.length > 0 && new Set(blocks).size === blocks.length, blocks.join());

    host.stop();
    const later = await open(context, host);
    await setUp(later, "W:WK16,K19:BK4,K12,K17");
    await show(later, "endgames");
    await says(later, /wins|draw|loses/, "#value");
    await context.close();
  });

  test("it can be installed", async () => {
    const host = await serve(SITE);
    const context = await browser.newContext();
    const page = await open(context, host);
    const session = await context.newCDPSession(page);
    const { errors, data, url } = await session.send("Page.getAppManifest");
    assert.deepEqual(errors, []);
    assert.equal(url, host.url + "manifest.webmanifest");
    for (const { src, type } of JSON.parse(data).icons) {
      const answer = await page.request.get(host.url + src);
      assert.equal(answer.headers()["content-type"], type);
    }
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    // A private window installs nothing, but has no other fault.
    assert.deepEqual(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito"), []);
    await context.close();
    host.stop();
  });
});
