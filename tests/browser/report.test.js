// The report of a game: moves are judged as `meerslag annotate` judges them, better ones are looked for.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { serveFolder, startServer } from "./hosts.js";
import { choose, command, moves, pdn, read, says, show, speak, step, text, type, undo, whole, within } from "./pages.js";
import { barriers, faults } from "./reading.js";
import { MEERSLAG, SITE, browser } from "./stage.js";

/** Two mistakes: 2. 29-23, where several moves were better, and 6... 12-17, which is the turning point. */
const GAME = `[White "Anna"]
[Black "Bert"]

1. 34-29 17-21 2. 29-23 (2. 31-27 {Slower.}) 18x29 3. 33x24 20x29 4. 31-26 {Good.} 15-20 5. 26x17
11x22 6. 35-30 12-17 7. 30-24 19x30 8. 40-34 29x40 9. 44x15 14-19 *
`;
/** Its moves, with the variation. */
const ALL = 19;

const LANGUAGES = ["nl", "fr", "ru", "de", "pl", "es", "pt", "en"];

/** Opens a page with a game, and has the game judged. */
const judge = async (page) => {
  await read(page, GAME);
  await show(page, "analysis");
  await within(page, "whole-pop", () => page.click("#whole-start"));
  await says(page, /The game is analysed/);
};

/** The mistakes in the order of the game: name, words and, for those who ask, the shares of the points. */
const rows = async (page) => {
  const found = await page.locator("#mistakes li").evaluateAll((all) =>
    all.map((one) => [Number(/** @type {HTMLElement} */ (one).dataset.ply), one.textContent + " " + /** @type {HTMLElement} */ (one).title]));
  return found.sort(([a], [b]) => Number(a) - Number(b)).map(([, words]) => String(words));
};

/** The program's own judgement of the game. */
const annotated = async () => {
  const folder = await mkdtemp(join(tmpdir(), "meerslag-"));
  try {
    const [input, out] = [join(folder, "game.pdn"), join(folder, "out.pdn")];
    await writeFile(input, GAME);
    const options = ["annotate", input, "--out", out, "--nodes", "50000", "--json"];
    const [game] = execFileSync(MEERSLAG, options, { encoding: "utf8" }).split("\n");
    return { ...JSON.parse(game), pdn: await readFile(out, "utf8") };
  } finally {
    await rm(folder, { recursive: true });
  }
};

const hosts = [
  ["behind the server", MEERSLAG, () => startServer(MEERSLAG, ["--hash", "64"])],
  ["as a site", SITE, () => serveFolder(SITE)],
];

for (const [name, isThere, start] of /** @type {[string, string, () => Promise<any>][]} */ (hosts)) {
  describe(`the report ${name}`, { skip: !isThere }, () => {
    let host;
    before(async () => (host = await start()));
    after(() => host.stop());

    /** Runs a test on a fresh page, without errors. */
    const onPage = (title, work) =>
      test(title, { timeout: 300_000 }, async () => {
        const context = await browser.newContext({ locale: "en-GB" });
        const page = await context.newPage();
        const wrong = [];
        page.setDefaultTimeout(60_000);
        page.on("console", (message) => {
          if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) wrong.push(message.text());
        });
        page.on("pageerror", (error) => wrong.push(String(error)));
        page.on("dialog", (dialog) => dialog.accept());
        await page.goto(host.url);
        await page.waitForSelector("body[data-ready]");
        await work(page);
        assert.deepEqual(wrong, []);
        await context.close();
      });

    onPage("judges as annotate does, and puts it into the game", async (page) => {
      await judge(page);
      const [white, black] = await page.locator("#accuracy tr").allInnerTexts();
      assert.match(white, /^Anna/);
      assert.match(black, /^Bert/);
      const list = await rows(page);
      // What was wrong stands there in words.
      assert.match(list[0], /29-23 loses \d+ m[ae]n after \d+x\d+ \d+x\d+|29-23 misses|29-23 worsens the position/);
      assert.match(list[0], /^2\. 29-23\?\??.*from \d+ % to \d+ % of the points/);
      assert.match(list[1], /^6\.\.\. 12-17\?.*from \d+ % to \d+ % of the points/);
      // The turning point comes first; moves are coloured at once.
      assert.match(await page.locator("#mistakes li").first().innerText(), /turning point/);
      assert.ok(await page.locator("#moves .q3, #moves .q2").count() >= 2);
      assert.equal(await page.locator("#moments-list figure").count(), list.length);
      await page.locator('#mistakes button[data-ply="2"]').first().click();
      assert.match(await text(page, "#moves button.m[aria-current]"), /^29-23/);
      await within(page, "report-menu", () => page.click("#put-in"));
      await says(page, /Signs and comments were added/);
      assert.match(await text(page, "#moves button.m[aria-current]"), /^29-23\s*\?/);
      assert.match(await text(page, "#position-comment"), /of the points; better \d+-\d+\./);
      const written = await pdn(page);
      await undo(page);
      await moves(page, ALL);
      assert.match(await text(page, "#moves button.m[aria-current]"), /^29-23/);
      // The same limits give the same report again, whatever was searched before.
      await page.evaluate(() => (document.querySelector("#say").textContent = ""));
      await within(page, "report-menu", () => page.click("#report-menu [data-act=whole-pop]"));
      await page.click("#whole-start");
      await says(page, /The game is analysed/);
      assert.deepEqual(await rows(page), list);
      // The page's own engine has another evaluation.
      if (name === "as a site") return;
      const expected = await annotated();
      const bad = expected.moves.filter(({ grade }) => grade !== "good");
      assert.equal(list.length, bad.length);
      const shown = ({ chance, drop }) => `from ${Math.round(100 * chance)} % to ${Math.round(100 * (chance - drop))} %`;
      for (const [index, move] of bad.entries()) assert.ok(list[index].includes(shown(move)), list[index]);
      assert.ok(white.includes(expected.white_accuracy.toFixed(1)), white);
      assert.ok(black.includes(expected.black_accuracy.toFixed(1)), black);
      assert.equal(written.trim(), expected.pdn.trim());
    });

    onPage("better moves are found by keyboard, and that is kept", async (page) => {
      await judge(page);
      await page.locator("#better-first").focus();
      await page.keyboard.press("Enter");
      await says(page, /White played 29-23. Find a better move/, "#better-text");
      const typed = async (move) => {
        await page.locator("#better-hint").focus();
        await page.keyboard.press("m");
        await page.keyboard.type(move);
        await page.keyboard.press("Enter");
        await page.keyboard.press("Escape");
      };
      await typed("29-23");
      await says(page, /29-23 was played in the game/, "#better-text");
      await typed("35-30");
      await says(page, /35-30 gives away \d+ % of the points/, "#better-text");
      await page.locator("#better-hint").focus();
      await page.keyboard.press("Enter");
      await says(page, /The piece on \d+ has the best move/, "#better-text");
      await moves(page, ALL);
      await page.reload();
      await page.waitForSelector("body[data-ready]");
      await says(page, /White played 29-23/, "#better-text");
      await typed("32-28");
      await says(page, /32-28 is (good|better)/, "#better-text");
      // The game is as it was, and the board is free again.
      await moves(page, ALL);
      await page.click("#head-close");
      assert.match((await rows(page))[0], / · found/);
      await type(page, "32-28");
      await moves(page, ALL + 1);
      await page.reload();
      await page.waitForSelector("body[data-ready]");
      assert.match((await rows(page))[0], / · found/);
    });

    onPage("a solution is shown, and is none that was found", async (page) => {
      await judge(page);
      await page.locator('#mistakes [data-action=better][data-ply="2"]').click();
      await page.click("#better-show");
      await says(page, /Better is \d+-\d+ \d/, "#better-text");
      await step(page, "forward");
      await page.waitForSelector("#better", { state: "hidden" });
      assert.match((await rows(page))[0], / · shown/);
      // Another move makes it another game.
      await step(page, "last");
      await type(page, "38-33");
      await moves(page, ALL + 1);
      await page.waitForSelector("#report", { state: "hidden" });
      await command(page, "delete");
      await page.waitForSelector("#report");
    });

    onPage("is stopped and goes on where it was", async (page) => {
      await read(page, GAME);
      await show(page, "analysis");
      await choose(page, "#report-nodes", "1000000");
      await whole(page);
      await says(page, /Position ([2-9]|1\d) of 19/, "#report-text");
      await page.click("#whole-stop");
      await says(page, /The analysis was stopped/);
      assert.ok((await page.locator("#curve .gap").count()) < 19);
      await page.reload();
      await page.waitForSelector("body[data-ready]");
      const heard = page.evaluate(() => new Promise((resolve) => {
        const progress = document.querySelector("#report-text");
        new MutationObserver(() => resolve(progress.textContent)).observe(progress, { childList: true });
      }));
      await whole(page);
      assert.ok(Number((await heard).match(/Position (\d+)/)[1]) > 1);
      await page.click("#whole-stop");
    });

    onPage("can be read by everybody", async (page) => {
      await judge(page);
      await page.click("#better-first");
      for (const language of LANGUAGES) {
        await speak(page, language);
        assert.deepEqual(await faults(page), [], language);
        assert.deepEqual(await barriers(page), [], language);
      }
      await page.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(await barriers(page), [], "dark");
    });
  });
}

test("a server that goes away is waited for", { skip: !MEERSLAG, timeout: 300_000 }, async () => {
  let host = await startServer(MEERSLAG);
  const page = await browser.newPage({ locale: "en-GB" });
  page.setDefaultTimeout(60_000);
  await page.goto(host.url);
  await page.waitForSelector("body[data-ready]");
  await read(page, GAME);
  await show(page, "analysis");
  await choose(page, "#report-nodes", "200000");
  await whole(page);
  await says(page, /Position ([2-9]|1\d) of 19/, "#report-text");
  await host.stop("SIGKILL");
  await says(page, /does not answer/, "#waiting-text");
  // It waits in the background.
  await step(page, "last");
  await show(page, "game");
  host = await startServer(MEERSLAG, [], host.port);
  await says(page, /The game is analysed/);
  await show(page, "analysis");
  assert.match((await rows(page))[0], /29-23\?/);
  await page.close();
  await host.stop();
});
