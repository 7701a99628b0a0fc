// Failures while somebody plays, analyses or learns: the server is full, fails, goes away and
// comes back. The board says so and goes on.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as ask } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { launch, serveFolder, startServer } from "./hosts.js";
import { cell, hold, level, menu, moves, play, playSomething, says, setUp, show, speak, step, text, type, whole } from "./pages.js";

const { MEERSLAG, SITE } = process.env;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Runs a test on a fresh page. The browser itself reports requests that fail; nothing else may. */
const onPage = (title, host, work) =>
  test(title, { timeout: 300_000 }, async () => {
    const contexts = [];
    const faults = [];
    /** A page of another visitor. */
    const open = async () => {
      const context = await browser.newContext({ locale: "en-GB" });
      contexts.push(context);
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      page.on("console", (message) => {
        const isRequest = /^Failed to load resource/.test(message.text());
        if (message.type() === "error" && !isRequest) faults.push(message.text());
      });
      page.on("pageerror", (error) => faults.push(String(error)));
      await page.goto(host().url);
      await page.waitForSelector("body[data-ready]");
      return page;
    };
    await work(await open(), open);
    assert.deepEqual(faults, []);
    for (const context of contexts) await context.close();
  });

const PROBLEM = "application/problem+json";
/** Answers a route with a problem. */
const refuse = (page, route, status, kind, detail = "said so") =>
  page.route(`**/v1/${route}?*`, (request) => request.fulfill({
    status, contentType: PROBLEM,
    body: JSON.stringify({ type: "/problems#" + kind, title: "", status, detail }),
  }));
const isFree = (page) => page.waitForSelector("#waiting", { state: "hidden" });
const pressed = async (page) => String(await page.locator("#analyse").isChecked());
const depth = async (page) => Number((await text(page, "#depth")).match(/Depth (\d+)/)?.[1] ?? 0);
const answered = (page) =>
  page.waitForResponse((response) => /v1\/analyse/.test(response.url()), { timeout: 30_000 });

describe("a game against the engine", { skip: !MEERSLAG }, () => {
  let host;
  before(async () => (host = await startServer(MEERSLAG)));
  after(() => host.stop());

  onPage("goes on after a step back and forward while it thinks", () => host, async (page) => {
    await play(page, 0.5);
    const answer = await hold(page);
    await type(page, "39-34");
    await says(page, /is thinking/);
    await step(page, "back");
    await says(page, /Your move|engine waits/);
    await step(page, "forward");
    await says(page, /is thinking/);
    answer();
    await moves(page, 2);
    await says(page, /engine plays/);
    // In the middle of the game the board says how to go on.
    await playSomething(page);
    await moves(page, 4);
    await step(page, "first");
    await step(page, "forward");
    await says(page, /engine waits/);
    await step(page, "last");
    await says(page, /Your move/);
  });

  onPage("leaves its pieces to the engine, however a move is made", () => host, async (page) => {
    await play(page, 0.5);
    const answer = await hold(page);
    await type(page, "39-34");
    await says(page, /is thinking/);
    assert.equal(await page.locator(".cell.movable").count(), 0);
    await cell(page, 23).click();
    await says(page, /engine’s turn/);
    await cell(page, 29).click();
    await type(page, "23-29");
    // The moves of an analysis are the engine's, too.
    await show(page, "analysis");
    await page.click("#analyse");
    await page.locator("#variations [data-ply]").first().click();
    assert.equal(await page.locator("#moves button.m").count(), 1);
    answer();
    await moves(page, 2);
    // At the user's turn a move counts, whatever its source.
    await page.waitForSelector(".cell.movable");
    await page.locator("#variations [data-ply]").first().click();
    await moves(page, 4);
    await page.click("#analyse");
  });

  onPage("asks again where the server fails or refuses", () => host, async (page) => {
    await play(page);
    await refuse(page, "play", 500, "internal");
    await type(page, "39-34");
    await says(page, /has failed. Try again. \(said so\)/, "#waiting-text");
    await speak(page, "nl");
    await says(page, /ging iets mis/, "#waiting-text");
    await speak(page, "en");
    await page.unroute("**/v1/play?*");
    await page.click("#again");
    await moves(page, 2);
    await isFree(page);

    // With the limit chosen meanwhile.
    await page.route("**/v1/play?*", (request) =>
      /level=/.test(request.request().url()) ? request.fallback() : request.fulfill({
        status: 400, contentType: PROBLEM,
        body: JSON.stringify({ type: "/problems#bad-parameter", detail: "time: more than 0.1 seconds" }),
      }));
    await playSomething(page);
    await says(page, /does not accept this value \(time: more/, "#waiting-text");
    // The choice stands with the next game.
    await page.evaluate(() => (/** @type {any} */ (document.querySelector("#play-kind")).value = "level"));
    await page.click("#again");
    await moves(page, 4);
    await isFree(page);
  });

  onPage("a hint can be asked for, and again after a step", () => host, async (page) => {
    await play(page);
    await refuse(page, "play", 503, "busy");
    await page.click("#play-hint");
    await says(page, /searches of the server are in use/, "#waiting-text");
    await page.unroute("**/v1/play?*");
    await says(page, /^Try \d/);
    await isFree(page);
    await page.click("#play-back");
    await says(page, /No moves yet/);
  });

  onPage("is not hurt by an answer that never comes", () => host, async (page) => {
    await page.clock.install();
    await play(page);
    let held = 0;
    await page.route("**/v1/play?*", () => held++);
    await type(page, "39-34");
    await says(page, /is thinking/);
    await page.waitForTimeout(200);
    assert.equal(held, 1);
    await page.clock.fastForward(100_000);
    await says(page, /does not answer/, "#waiting-text");
    await page.unroute("**/v1/play?*");
    await page.clock.fastForward(2000);
    await moves(page, 2);
  });
});

describe("a server with one search", { skip: !MEERSLAG }, () => {
  let host;
  before(async () => (host = await startServer(MEERSLAG, ["--searches", "1", "--longest", "10"])));
  after(() => host.stop());

  onPage("is shared by an analysis that goes on and a game", () => host, async (first, open) => {
    await first.click("#rail-analysis");
    await first.click("#analyse");
    await first.waitForSelector("#variations [data-ply]");
    const second = await open();
    await play(second, 0.2);
    await type(second, "39-34");
    await moves(second, 2);
    await isFree(second);
    await answered(first);
    await isFree(first);
    assert.equal(await pressed(first), "true");
  });

  onPage("serves the second visitor when the first has left", () => host, async (first, open) => {
    await first.click("#rail-analysis");
    await first.click("#analyse");
    await first.waitForSelector("#variations [data-ply]");
    const second = await open();
    await play(second, 0.2);
    await type(second, "39-34");
    await says(second, /All searches of the server are in use. The page will ask again/, "#waiting-text");
    const third = await open();
    await third.click("#rail-analysis");
    await third.click("#analyse");
    await says(third, /searches of the server are in use/, "#waiting-text");
    await third.click("#analyse");
    await isFree(third);
    await first.close();
    await moves(second, 2);
    await isFree(second);
  });
});

describe("a server that goes away and comes back", { skip: !MEERSLAG }, () => {
  let host;
  // One for each test: a failed test leaves none behind.
  beforeEach(async () => (host = await startServer(MEERSLAG)));
  afterEach(() => host.stop());
  const again = async () => (host = await startServer(MEERSLAG, [], host.port));

  onPage("leaves a game as it was", () => host, async (page) => {
    await play(page, 10);
    await type(page, "39-34");
    await says(page, /is thinking/);
    await host.stop("SIGKILL");
    await says(page, /does not answer. Is the server/, "#waiting-text");
    await step(page, "back");
    await step(page, "forward");
    await says(page, /does not answer/, "#waiting-text");
    await page.evaluate(() => (/** @type {any} */ (document.querySelector("#play-time")).value = "1"));
    await page.click("#again");
    await again();
    await moves(page, 2);
    await isFree(page);
    await says(page, /engine plays/);
    // A server gives its best move so far when it is ended. It has the question when it answers a later one.
    await page.evaluate(() => (/** @type {any} */ (document.querySelector("#play-time")).value = "20"));
    const question = page.waitForRequest(/v1\/play/);
    await playSomething(page);
    await question;
    await fetch(host.url + "v1/server");
    await host.stop("SIGINT");
    await moves(page, 4);
    await again();
    await says(page, /engine plays/);
    await page.evaluate(() => (/** @type {any} */ (document.querySelector("#play-time")).value = "1"));
    await playSomething(page);
    await moves(page, 6);
  });

  onPage("analysis goes on by itself", () => host, async (page) => {
    await show(page, "analysis");
    await page.click("#analyse");
    await page.waitForSelector("#variations [data-ply]");
    await host.stop("SIGKILL");
    await says(page, /does not answer/, "#waiting-text");
    assert.equal(await pressed(page), "true");
    // Known values stay.
    assert.ok((await page.locator("#variations [data-ply]").count()) > 0);
    const search = answered(page);
    await again();
    await search;
    await isFree(page);
    await page.click("#analyse");
  });

  onPage("the whole game is analysed all the same", () => host, async (page) => {
    await show(page, "analysis");
    await type(page, "32-28");
    await moves(page, 1);
    await type(page, "19-23");
    await moves(page, 2);
    await host.stop("SIGKILL");
    await whole(page);
    await says(page, /does not answer/, "#waiting-text");
    await again();
    await says(page, /The game is analysed/);
    assert.equal(await page.locator("#curve .gap").count(), 0);
  });

  onPage("a lesson judges the move that was made meanwhile", () => host, async (page) => {
    await show(page, "endgames");
    await page.click("#lesson-form button.main");
    await says(page, /Win with/, "#title");
    await page.click("#lesson-hint");
    await page.click("#lesson-hint");
    await says(page, /Try/, "#verdict");
    const move = (await text(page, "#verdict .tip:first-child")).match(/\d+[-x]\d+\S*/)[0];
    await host.stop("SIGKILL");
    await type(page, move);
    await says(page, /does not answer/, "#waiting-text");
    // Nobody can move the defending pieces, and a step back and forward loses nothing.
    assert.equal(await page.locator(".cell.movable").count(), 0);
    await step(page, "back");
    await step(page, "forward");
    await again();
    await says(page, /perfect/, "#verdict");
    await isFree(page);
  });

  onPage("what no part of the page expects is said", () => host, async (page) => {
    await refuse(page, "position", 404, "not-known", "no such position");
    await show(page, "endgames");
    await page.click("#slice-set");
    await says(page, /Nothing is known about this \(no such position\)/);
    await page.click("#lesson-form button.main");
    await says(page, /Nothing is known about this/);
  });

  onPage("views and files say why they wait", () => host, async (page) => {
    await setUp(page, "W:W18:B3,4,5");
    await show(page, "endgames");
    await says(page, /in 43 plies/, "#value-more");
    await show(page, "book");
    const languages = /** @type {[string, RegExp][]} */ ([["nl", /antwoordt niet/], ["fr", /ne répond pas/], ["ru", /не отвечает/], ["de", /antwortet nicht/], ["pl", /nie odpowiada/], ["en", /does not answer/]]);
    // The texts of a language come from the server when it is first used.
    for (const [code] of languages) await speak(page, code);
    await host.stop("SIGKILL");
    await show(page, "endgames");
    await says(page, /does not answer/, "#waiting-text");
    for (const [code, words] of languages) {
      await speak(page, code);
      await says(page, words, "#waiting-text");
    }
    await again();
    await says(page, /^1\. 18-12 /, "#line");
    await isFree(page);
    await host.stop("SIGKILL");
    await menu(page, "[data-act=open]");
    await page.fill("#pdn-text", "1. 32-28 *");
    await page.click("#pdn-read");
    await says(page, /does not answer/, "#waiting-text");
    await again();
    await says(page, /Games read: 1/);
    await isFree(page);
  });
});

describe("analysis", { skip: !MEERSLAG }, () => {
  let host;
  before(async () => (host = await startServer(MEERSLAG, ["--longest", "1"])));
  after(() => host.stop());

  onPage("goes on where the server ends a search, and stops when it says so", () => host, async (page) => {
    await page.clock.install();
    await show(page, "analysis");
    await page.click("#analyse");
    await page.clock.runFor(500);
    await page.waitForSelector("#variations [data-ply]");
    const before = await depth(page);
    for (let search = 0; search < 2; search++) {
      await answered(page);
      assert.equal(await pressed(page), "true");
      assert.ok((await depth(page)) >= before, "what was found stays");
    }
    await page.clock.fastForward("01:00:01");
    await says(page, /Stopped after 60 minutes/);
    await says(page, /Depth \d+.*Stopped after 60 minutes/, "#depth");
    assert.equal(await pressed(page), "false");
  });

  onPage("says what is left to find", () => host, async (page) => {
    await setUp(page, "W:W28:B22");
    await show(page, "analysis");
    await page.click("#analyse");
    await says(page, /^W 1/, "#variations");
    await says(page, /The search is complete/, "#depth");
    await page.locator("#variations [data-ply]").first().click();
    await says(page, /The game is over here/, "#depth");
    assert.equal(await pressed(page), "true");
    await show(page, "endgames");
    await says(page, /^White wins$/, "#value");
  });

  onPage("says why it cannot be had", () => host, async (page) => {
    await refuse(page, "analyse", 400, "bad-position");
    await show(page, "analysis");
    await page.click("#analyse");
    await says(page, /cannot read this position \(said so\)/, "#depth");
    assert.equal(await pressed(page), "false");
    await step(page, "last");
    await type(page, "32-28");
    await whole(page);
    await says(page, /The analysis was stopped. The engine cannot read/);
  });
});

describe("the engine in the page", { skip: !SITE }, () => {
  let host;
  before(async () => (host = await serveFolder(SITE)));
  after(() => host.stop());

  onPage("is started again when it dies", () => host, async (page) => {
    // New workers get no module that they can run.
    await page.evaluate(() => {
      window.post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message) {
        window.post.call(this, message.module ? { module: "damaged" } : message);
      };
    });
    await show(page, "play");
    await level(page, 1);
    await page.click("#play-start");
    await says(page, /Your move/);
    // The first answer has come with the page.
    await type(page, "32-28");
    await moves(page, 2);
    await playSomething(page);
    await says(page, /in this page has failed/, "#waiting-text");
    await page.evaluate(() => (Worker.prototype.postMessage = window.post));
    await page.click("#again");
    await moves(page, 4);
    await isFree(page);
    // One answers, one plays.
    assert.equal(page.workers().length, 2);
  });
});

describe("files that take long", { skip: !MEERSLAG }, () => {
  let host;
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "meerslag-"));
    host = await startServer(MEERSLAG, ["--games", join(folder, "all.games"), "--games-add"]);
  });
  after(async () => {
    await host.stop();
    await rm(folder, { recursive: true });
  });
  const nameOf = (index) => [...String(index)].map((digit) => "abcdefghij"[Number(digit)]).join("") + "x";
  const GAMES = Array.from({ length: 400 }, (_, index) => `[White "${nameOf(index)}"]\n\n1. 32-28 19-23 2. 28x19 14x23 *\n\n`).join("");
  /** The games as a file that somebody chooses. */
  const file = { name: "cup.pdn", mimeType: "text/plain", buffer: Buffer.from(GAMES) };

  onPage("are sent once, and the page says how far they are", () => host, async (page) => {
    await page.clock.install();
    let sent = 0;
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await page.route("**/v1/games?*", async (request) => {
      sent++;
      await released;
      await request.continue();
    });
    await page.setInputFiles("#pdn-file", file);
    await says(page, /^Reading cup.pdn…$/, "#waiting-text");
    assert.ok(await page.locator("#again").isHidden());
    // Silence while a file is sent or read is no reason to send it again.
    await page.clock.fastForward("05:00");
    await says(page, /^Reading cup.pdn…$/, "#waiting-text");
    release();
    await says(page, /Games read: 400/);
    await isFree(page);
    assert.equal(sent, 1);
  });

  onPage("are told in parts while they are on the way", () => host, async (page) => {
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    await network.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 20_000 });
    await page.setInputFiles("#pdn-file", file);
    await says(page, /^Sending cup.pdn: \d0 %$/, "#waiting-text");
    await says(page, /Games read: 400/);
  });

  let posted = 0;
  /** A connection that breaks when an import has its answer. */
  const broken = createServer((request, response) => {
    const isImport = request.url.includes("/games/import");
    posted += Number(isImport);
    const { host: name } = new URL(host.url);
    const passed = ask(host.url + request.url.slice(1), { method: request.method, headers: { ...request.headers, host: name, origin: host.url.slice(0, -1) } }, (answer) => {
      if (isImport) answer.on("end", () => response.destroy()).resume();
      else answer.pipe(response.writeHead(answer.statusCode, answer.headers));
    });
    request.pipe(passed);
  });
  before(async () => void (await once(broken.listen(0, "127.0.0.1"), "listening")));
  after(() => {
    broken.close();
    broken.closeAllConnections();
  });
  const through = () => ({ url: `http://127.0.0.1:${/** @type {any} */ (broken.address()).port}/` });

  onPage("are added once, even if the connection breaks before the answer", through, async (page) => {
    await show(page, "database");
    await page.setInputFiles("#db-file", file);
    await says(page, /New: 400 of 400/, "#db-added");
    // The browser itself sends some requests again; the name of the import makes it one.
    assert.ok(posted > 0);
    await says(page, /400 games/, "#db-size");
    await isFree(page);
  });
});
