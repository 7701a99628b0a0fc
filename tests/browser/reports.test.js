// The pages of `annotate --html` and `match --html`, and the board, as a person reads them.
//
// MEERSLAG: the program; without it nothing is tested here. CHROMIUM: the browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { launch, startServer } from "./hosts.js";
import { blur, choose, menu, setUp, show, speak, type } from "./pages.js";
import { barriers, faults } from "./reading.js";

const { MEERSLAG } = process.env;
const options = { skip: MEERSLAG ? false : "MEERSLAG is not set", timeout: 300_000 };

const PDN = `[Event "Club"]
[White "Anna"]
[Black "Bert"]
[Result "2-0"]

1. 32-28 {A good start.} 19-23 $1 (1... 18-23 {Another way.} 2. 37-32) 2. 28x19 14x23 3. 37-32
23-29 4. 33x24 20x29 5. 34x23 18x29 2-0

[White "Carla"]
[Black "Dirk"]
[Result "1-1"]

1. 33-28 18-23 1-1
`;

let browser;
let folder;
before(async () => {
  browser = await launch();
  folder = await mkdtemp(join(tmpdir(), "meerslag-"));
});
after(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

const file = (name) => join(folder, name);
const run = (...args) => execFileSync(MEERSLAG, args, { stdio: ["ignore", "pipe", "ignore"] });

const open = async (name, options = {}, hash = "") => {
  const page = await (await browser.newContext(options)).newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(pathToFileURL(file(name)) + hash);
  return { page, errors };
};

/** Reads a page from its start to the end of each game; `each` looks at every move. */
const readThrough = async (name, each = () => {}) => {
  const { page, errors } = await open(name);
  assert.deepEqual(await faults(page), []);
  const rows = page.locator("#games tbody tr");
  for (let game = 0; game < (await rows.count()); game++) {
    await rows.nth(game).locator("button").click();
    const moves = await page.locator("#moves button.m").count();
    if (await page.locator("#first").isEnabled()) await page.click("#first");
    for (let ply = 0; ply <= moves; ply++) {
      assert.deepEqual(await faults(page), [], `game ${game + 1}, ply ${ply}`);
      if (ply > 0) each(await page.locator("#info").innerText());
      if (ply < moves) await page.click("#forward");
    }
    assert.ok(await page.locator("#forward").isDisabled());
  }
  assert.deepEqual(errors, []);
  await page.context().close();
};

/** Checks that everybody can use a page: wide and narrow, light and dark, with and without an open game. */
const checkBarriers = async (name) => {
  for (const width of [1280, 500]) {
    for (const colorScheme of ["light", "dark"]) {
      for (const hash of ["", "#game=1&ply=6"]) {
        const { page } = await open(name, { viewport: { width, height: 900 }, colorScheme }, hash);
        assert.deepEqual(await barriers(page), [], `${name} ${width} ${colorScheme} ${hash}`);
        await page.context().close();
      }
    }
  }
};

test("an annotated game is judged in words, move by move", options, async () => {
  await writeFile(file("games.pdn"), PDN);
  run("annotate", file("games.pdn"), "--nodes=3000", "-o", file("out.pdn"), "--html", file("annotated.html"));
  const judged = [];
  await readThrough("annotated.html", (info) => judged.push(info));
  // Black gives a man away with his third move; good moves have no remark.
  assert.equal(judged.length, 12);
  assert.match(judged[5], /^23-29\S*, .* White's share \d+ %\. (Inaccuracy|Mistake|Blunder): from \d+ % to \d+ % of the points; better \d+-\d+\.$/);
  for (const info of judged) assert.match(info, /White's share \d+ %/);
  await checkBarriers("annotated.html");
});

test("a match that was interrupted shows all of it", options, async () => {
  const state = file("match.jsonl");
  const engines = ["--engine=builtin name=a tc=nodes=300", "--engine=random name=b", "--tc=depth=2", "--pairs=2", "--max-moves=15"];
  run("match", ...engines, "--state", state);
  const lines = (await readFile(state, "utf8")).split("\n");
  await writeFile(state, lines.slice(0, 3).join("\n") + "\n");
  run("match", "--resume", "--state", state, "--html", file("match.html"));
  await readThrough("match.html");
  const { page } = await open("match.html");
  const terms = await page.locator("dl dt").allInnerTexts();
  const values = await page.locator("dl dd").allInnerTexts();
  const value = (term) => values[terms.indexOf(term)];
  assert.match(value("Duration"), /^\d+:\d\d:\d\d in 2 parts$/);
  assert.match(value("Command"), /--pairs=2/);
  assert.match(value("Continued by"), /--resume/);
  assert.equal(value("Games"), "4 of 4");
  await page.context().close();
  await checkBarriers("match.html");
});

test("games of a match are clicked through", options, async () => {
  const engines = ["--engine=builtin name=one", '--engine=random name="two</script>"', "--engine=random name=three"];
  run("match", ...engines, "--tc=nodes=200", "--pairs=2", "--max-moves=30", "--html", file("three.html"));
  const { page, errors } = await open("three.html", { reducedMotion: "reduce" });
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  const rows = page.locator("#games tbody tr");
  assert.equal(await rows.count(), 12);
  assert.ok((await rows.allInnerTexts()).some((text) => text.includes("two</script>")));
  assert.ok(await page.locator("#viewer").isHidden());
  const pieces = () => page.locator("#frame .pieces use").count();
  const info = () => page.locator("#info").innerText();
  const current = () => page.locator("#moves [aria-current]").innerText();
  for (const game of [0, 5]) {
    await rows.nth(game).click();
    assert.equal(await page.locator("#frame .cell").count(), 50);
    assert.equal(await info(), "start position");
    const moves = await page.locator("#moves button.m").allInnerTexts();
    const cells = await rows.nth(game).locator("td").allInnerTexts();
    assert.equal(Math.ceil(moves.length / 2), Number(cells[4]));
    let count = 40;
    for (const move of moves) {
      await page.keyboard.press("ArrowRight");
      const now = await pieces();
      // Only captures take pieces off.
      assert.equal(now < count, move.includes("x"), move);
      count = now;
      assert.equal(await current(), move);
      assert.match(await info(), / s/);
    }
    await page.click("#flip");
    await page.locator("#moves button.m").nth(3).click();
    assert.equal(await current(), moves[3]);
    await page.keyboard.press("Home");
    assert.equal(await info(), "start position");
    assert.equal(await pieces(), 40);
    await page.click("#flip");
  }
  // The board has clocks and a curve for each side, and its position can be copied.
  await page.click("#last");
  for (const id of ["upper", "lower"]) assert.match(await page.locator("#" + id).innerText(), /(used )?\d+:\d\d\.\d$/);
  assert.equal(await page.locator("#curve polyline").count(), 2);
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", {
      value: { writeText: async (text) => void (/** @type {any} */ (window).copied = text) },
    });
  });
  const copied = async (id) => {
    await page.click("#" + id);
    return page.evaluate(() => /** @type {any} */ (window).copied);
  };
  await page.click("#first");
  assert.match(await copied("copy-fen"), /^[WB]:W[\d,]+:B[\d,]+$/);
  assert.match(await copied("copy-pdn"), /^\[Event [^]*\[White /);
  await page.click("#forward");
  const number = (await rows.nth(5).locator("td").allInnerTexts())[0];
  assert.ok((await copied("copy-link")).endsWith(`#game=${number}&ply=1`));
  const saving = page.waitForEvent("download");
  await page.click("#save-pdn");
  assert.equal((await saving).suggestedFilename(), `game${number}.pdn`);
  // A link leads to its game and ply.
  const linked = await open("three.html", {}, `#game=${number}&ply=3`);
  assert.equal(await linked.page.locator("#moves button.m").nth(2).getAttribute("aria-current"), "true");
  // Another language appears at once, with the same game.
  await linked.page.selectOption("#language", "nl");
  assert.equal(await linked.page.locator("#moves button.m").nth(2).getAttribute("aria-current"), "true");
  assert.match(await linked.page.locator("#info").innerText(), /diepte|s$/);
  await linked.page.context().close();
  // Only games of one player; then sorted by length.
  await page.selectOption("#by-player", "one");
  assert.equal(await page.locator("#games tbody tr:visible").count(), 8);
  assert.equal(await page.locator("#count").innerText(), "8 of 12 games");
  await page.locator("#games th button").nth(4).click();
  const lengths = (await page.locator("#games tbody tr td:nth-child(5)").allTextContents()).map(Number);
  assert.deepEqual(lengths, [...lengths].sort((a, b) => a - b));
  assert.deepEqual([errors, requests.filter((url) => !url.startsWith("blob:"))], [[], []]);
  await page.context().close();
});

test("plots have every engine and every game, within their frame", options, async () => {
  // White wins two of the openings whatever the players do: so no engine wins everything.
  await writeFile(file("wins.fen"), "W:WK28,50:B22\nW:W31-50:B1-20\nW:WK29,50:B23\n");
  const engines = ["--engine=builtin name=one", "--engine=random name=two", "--engine=random name=three param.seed=5"];
  run("match", ...engines, "--tc=nodes=200", "--pairs=3", "--openings", file("wins.fen"), "--html", file("plots.html"));
  const { page, errors } = await open("plots.html");
  for (const look of ["e0", "e1", "e2"]) assert.ok((await page.locator(`#elo polyline.line.${look}`).count()) > 0, look);
  const drawn = await page.locator("#elo :is(polyline, polygon)").evaluateAll((all) => all.map((one) => one.getAttribute("points") ?? ""));
  for (const [x, y] of drawn.flatMap((points) => points.split(" ").map((point) => point.split(",").map(Number)))) {
    assert.ok(x >= 60 && x <= 890 && y >= 10 && y <= 270, `${x}, ${y}`);
  }
  // Below each bar is the length of its games, above it their number.
  const bars = await page.locator("#lengths rect.bar").count();
  const counts = await page.locator("#lengths rect.bar").evaluateAll((all) => all.map((one) => {
    const next = one.nextElementSibling?.nextElementSibling;
    return next?.localName === "text" ? Number(next.textContent) : 0;
  }));
  assert.equal(counts.length, bars);
  assert.equal(counts.reduce((a, b) => a + b), 18);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("both reports are read in every language", options, async () => {
  for (const name of ["annotated.html", "match.html"]) {
    const { page, errors } = await open(name, {}, "#game=1&ply=6");
    const heads = new Set();
    for (const language of ["en", "nl", "fr", "ru", "de", "pl", "es", "pt"]) {
      await page.selectOption("#language", language);
      for (const details of await page.locator("details").all()) await details.evaluate((one) => one.setAttribute("open", ""));
      assert.deepEqual(await faults(page), [], `${name} ${language}`);
      heads.add(await page.locator("#games thead").innerText());
      assert.equal(await page.locator("html").getAttribute("lang"), language);
    }
    assert.equal(heads.size, 8);
    assert.deepEqual(errors, []);
    await page.context().close();
  }
});

test("the report says what there is to learn", options, async () => {
  await writeFile(file("lessons.pdn"), `[White "Anna"]\n[Black "Bert"]\n[Date "2026.11.01"]\n[FEN "W:W18:B3,4,5"]\n1. 18-13 0-2\n\n`
    + `[White "Anna"]\n[Black "Carl"]\n[Date "2026.11.08"]\n[FEN "W:W27,28,32,37:B14,18,19,23"]\n1. 27-22 {[%clk 0:00:10]} 18x38 0-2\n`);
  run("annotate", file("lessons.pdn"), "--nodes=3000", "-o", file("lessons.out.pdn"), "--html", file("lessons.html"), "--language", "de");
  const { page, errors } = await open("lessons.html");
  assert.equal(await page.locator("html").getAttribute("lang"), "de");
  const captions = await page.locator(".diagrams figcaption").allInnerTexts();
  assert.ok(captions.some((text) => /18-13 vergibt den Gewinn; besser /.test(text)), captions.join("\n"));
  assert.ok(captions.some((text) => text.includes("(in Zeitnot)")), captions.join("\n"));
  assert.match(await page.locator("#endgames").innerText(), /Weiß gewinnt/);
  const [anna] = await page.locator("#kinds tbody tr").allInnerTexts();
  assert.match(anna, /^Anna\s/);
  assert.equal(anna.trim().split(/\s+/).slice(1).map(Number).slice(0, 3).reduce((a, b) => a + b), 2);
  // Anna's progress has both days.
  await page.locator("details", { hasText: "Anna" }).first().evaluate((one) => one.setAttribute("open", ""));
  assert.match(await page.locator("details", { hasText: "Anna" }).first().innerText(), /2026\.11\.01[^]*2026\.11\.08/);
  // A diagram leads to its game.
  await page.locator(".diagrams a").first().click();
  await page.waitForSelector("#viewer:not([hidden])");
  assert.deepEqual(errors, []);
  await page.context().close();
  await checkBarriers("lessons.html");
});

test("a match that tells nothing yet says so", options, async () => {
  // Two engines with the same play: each pair is even.
  const engines = ["--engine=builtin name=a", "--engine=builtin name=b", "--tc=nodes=200", "--pairs=2", "--max-moves=10"];
  const table = String(run("match", ...engines, "--html", file("twins.html")));
  assert.match(table, /^a +4 .* not known yet +- /m);
  await readThrough("twins.html");
  const { page } = await open("twins.html");
  const cells = await page.locator("#standings tbody tr").nth(0).locator("td").allInnerTexts();
  assert.deepEqual(cells.slice(9, 12), ["not known yet", "–", "–"]);
  assert.equal(await page.locator("#elo").count(), 0);
  assert.match(await page.locator("main").innerText(), /Elo over games\s+Not known yet\./);
  await page.context().close();
});

/**
 * Makes a page note each name that it reads in an answer of the server and that is missing. The
 * server's own description says which are optional.
 */
const noteMissing = () => {
  const proxies = new WeakMap();
  const missing = (window.missing = new Set());
  const wrap = (value) => {
    if (typeof value !== "object" || value === null) return value;
    if (!proxies.has(value)) {
      const get = (target, name) => {
        const isOwn = typeof name === "string" && !Array.isArray(target) && !["then", "toJSON"].includes(name);
        if (isOwn && !(name in target)) missing.add(name);
        return wrap(target[name]);
      };
      proxies.set(value, new Proxy(value, { get }));
    }
    return proxies.get(value);
  };
  const { parse } = JSON;
  JSON.parse = (...args) => {
    const value = parse(...args);
    return value?.type ? wrap(value) : value;
  };
};

/** Every name of a property in a JSON document of schemas. */
const properties = (value, found = new Set()) => {
  if (typeof value !== "object" || value === null) return found;
  for (const name of Object.keys(value.properties ?? {})) found.add(name);
  Object.values(value).forEach((part) => properties(part, found));
  return found;
};

test("the board is read in every language and view", options, async () => {
  await writeFile(file("games.pdn"), PDN);
  run("book", "build", file("games.pdn"), "-o", file("games.book"));
  const { url, stop } = await startServer(MEERSLAG, ["--book", file("games.book")]);
  try {
    const context = await browser.newContext({ locale: "en-GB" });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.addInitScript(noteMissing);
    await page.goto(url);
    await page.waitForSelector("body[data-ready]");
    const read = async (where) => assert.deepEqual(await faults(page), [], where);
    const filled = (selector) =>
      page.waitForFunction((where) => document.querySelector(where).textContent.trim(), selector);
    const languages = await page.locator("#language option").evaluateAll((all) => all.map(({ value }) => value));
    assert.equal(languages.length, 8);
    for (const language of languages) {
      await speak(page, language);
      // A game with comments and a variation.
      await show(page, "game");
      await menu(page, "[data-act=open]");
      await page.fill("#pdn-text", PDN);
      await page.click("#pdn-read");
      await page.waitForFunction(() => document.querySelectorAll("#moves .variation .m").length === 2);
      await page.click("#forward");
      await read(`${language}: a game`);
      await show(page, "book");
      await filled("#book-text");
      await read(`${language}: book`);
      await show(page, "analysis");
      await page.click("#analyse");
      await page.waitForFunction(() => document.querySelectorAll("#variations li").length === 3);
      await read(`${language}: analysis`);
      await page.click("#analyse");
      // Unreadable text, and an endgame with its values, its line and a lesson.
      await show(page, "setup");
      await page.fill("#fen", "nonsense");
      await page.press("#fen", "Enter");
      await filled("#fen-problem");
      await read(`${language}: no position`);
      await setUp(page, "W:W18:B3,4,5");
      await show(page, "endgames");
      await page.waitForSelector("#values button");
      await filled("#line");
      await read(`${language}: endgame`);
      await page.click("#practise");
      await page.click("#lesson-form button.main");
      await page.click("#lesson-hint");
      await filled("#verdict");
      await read(`${language}: lesson`);
      await page.click("#head-close");
      // A game that the user wins, with an illegal move in between.
      await setUp(page, "W:W28:B22");
      await type(page, "28-23");
      await read(`${language}: not legal`);
      await show(page, "play");
      await choose(page, "#play-from", "board");
      await page.click("#play-start");
      await page.waitForSelector(".cell.movable");
      await read(`${language}: play`);
      await type(page, "28x17");
      await page.waitForFunction(() => document.querySelectorAll("#moves button.m").length === 1);
      await page.waitForSelector("#over");
      await read(`${language}: the end`);
      await page.click("#over-new");
      await blur(page);
      await page.keyboard.press("?");
      await read(`${language}: keys`);
      await page.keyboard.press("Escape");
    }
    const known = properties(await (await fetch(url + "openapi.json")).json());
    // Names of games that the page itself keeps, and of steps of an analysis, which are not described there.
    for (const name of ["lesson", "side", "task", "report", "against", "plies_to_end"]) known.add(name);
    const missing = await page.evaluate(() => [...window.missing]);
    assert.deepEqual(missing.filter((name) => !known.has(name)), [], "read, but never written");
    await context.close();
  } finally {
    stop();
  }
});

test("moves and positions are typed as at the terminal", options, async () => {
  const { url, stop } = await startServer(MEERSLAG);
  try {
    const page = await (await browser.newContext({ locale: "en-GB" })).newPage();
    await page.goto(url + "#view=analysis");
    await page.waitForSelector("body[data-ready]");
    await page.keyboard.press("m");
    const count = (number) =>
      page.waitForFunction((number) => document.querySelectorAll("#moves button.m").length === number, number);
    const type = async (selector, text) => {
      await page.fill(selector, text);
      await page.press(selector, "Enter");
    };
    // No Enter is needed where a text names one move alone, and a capture without a choice plays itself.
    for (const [text, key, moves] of /** @type {[string, string, number][]} */ ([["3228", "", 1], ["19 23", "", 3], ["14 x 23!", "Enter", 4], [" 37-32", "", 5]])) {
      await page.waitForSelector(".cell.movable");
      await page.locator("#type").pressSequentially(text);
      if (key) await page.press("#type", key);
      await count(moves);
    }
    const said = (text) =>
      page.waitForFunction((text) => document.querySelector("#say").textContent.includes(text), text);
    await type("#type", "99-1");
    await said("99-1");
    // Two captures from 30 to 2: written in full it is one of them, otherwise the user is asked.
    await show(page, "setup");
    for (const [text, fen] of [
      ['[FEN "W:WK30:B7,21,22,34,41"]', "W:WK30:B7,21,22,34,41"],
      ["b:b1-3:w48,k49", "B:W48,K49:B1,2,3"],
      ["W" + "b".repeat(20) + "e".repeat(10) + "w".repeat(20), null],
      ["w:wk30:b7,21,22,34,41.", "W:WK30:B7,21,22,34,41"],
    ]) {
      await page.click("#clear");
      await type("#fen", text);
      await page.waitForFunction(
        ([text, fen]) => {
          const { value } = document.querySelector("#fen");
          return fen ? value === fen : value !== text && value.startsWith("W:W31,32");
        },
        [text, fen],
      );
    }
    await page.click("#setup-done");
    await count(0);
    await page.keyboard.press("m");
    await type("#type", "30x2");
    await page.waitForSelector("#which[open]");
    assert.equal(await page.locator("#which .choices button").count(), 2);
    // What is typed in the moment in which the question closes is kept.
    await page.evaluate(() => {
      document.querySelector("#which").close();
      document.querySelector("#type").value = "30x39x11x2";
    });
    await page.press("#type", "Enter");
    await count(1);
    await page.context().close();
  } finally {
    stop();
  }
});
