// The board in Chromium, with both of its engines: `meerslag serve`, and WebAssembly.
//
// MEERSLAG: the program; without it only the site is tested. SITE: a folder written by
// `meerslag serve --export`. CHROMIUM: the browser. SCREENSHOTS: a folder for pictures of each view.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { launch, serveFolder, startServer } from "./hosts.js";
import { blur, cell, choose, command, comment, focused, level, menu, pdn, playSomething, read, says, setUp, show, speak, text, type, within } from "./pages.js";

const { MEERSLAG, SITE, SCREENSHOTS } = process.env;

const PDN = `[Event "Club"]
[White "Anna"]
[Black "Bert"]
[Result "2-0"]

1. 32-28 {A good start.} 19-23 $1 (1... 18-23 {Another way.} 2. 37-32) 2. 28x19 14x23 2-0

[White "Carla"]
[Black "Dirk"]
[Result "1-1"]

1. 33-28 18-23 1-1
`;

/** White, to move, captures the last black man. */
const ONE_MOVE_WIN = "W:W28:B22";
/** One man beats three, in 43 plies, by 18-12 alone. */
const KNOWN_ENDGAME = "W:W18:B3,4,5";

/** A game of 64 plies, of two players who look at 30 positions a move. */
const LONG_GAME = `
1. 34-29 17-21 2. 29-23 18x29 3. 33x24 20x29 4. 31-26 15-20 5. 26x17 11x22 6. 35-30 12-17 7.
30-24 19x30 8. 40-34 29x40 9. 44x15 14-19 10. 32-27 22x31 11. 37x26 7-11 12. 50-44 1-7 13. 41-37
10-14 14. 37-31 13-18 15. 46-41 8-13 16. 41-37 7-12 17. 37-32 2-8 18. 32-28 17-21 19. 26x17
11x33 20. 39x28 18-22 21. 28x17 12x21 22. 15-10 4x15 23. 31-26 21-27 24. 42-37 15-20 25. 37-31
6-11 26. 31x22 8-12 27. 38-33 3-8 28. 33-28 5-10 29. 47-42 19-23 30. 28x19 14x23 31. 36-31 10-14
32. 31-27 12-17 *
`;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** A server with a book of games. */
const startWithBook = async () => {
  const folder = await mkdtemp(join(tmpdir(), "meerslag-"));
  const [games, book] = [join(folder, "games.pdn"), join(folder, "games.book")];
  await writeFile(games, PDN);
  execFileSync(MEERSLAG, ["book", "build", games, "-o", book]);
  const { url, stop } = await startServer(MEERSLAG, ["--book", book]);
  const end = async () => {
    await stop();
    await rm(folder, { recursive: true });
  };
  return { url, stop: end };
};

const hosts = [];
if (MEERSLAG) hosts.push(["behind the server", startWithBook]);
if (SITE) hosts.push(["as a site with WebAssembly", () => serveFolder(SITE)]);
assert.ok(hosts.length > 0, "set MEERSLAG to the program or SITE to an exported site");

for (const [name, start] of hosts) {
  describe(`the board ${name}`, () => {
    let host;
    before(async () => (host = await start()));
    after(() => host.stop());

    /** Runs a test on a fresh page, without errors and without requests to other hosts. */
    const onPage = (title, work, options = {}) =>
      test(title, { timeout: 300_000 }, async () => {
        const context = await browser.newContext({ locale: "en-GB", ...options });
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        const faults = [];
        page.on("console", (message) => {
          if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
        });
        page.on("pageerror", (error) => faults.push(String(error)));
        page.on("request", (request) => {
          const url = request.url();
          if (!url.startsWith(host.url) && !/^(data|blob):/.test(url)) faults.push("asked " + url);
        });
        await page.goto(host.url + (options.hash ?? ""));
        await page.waitForSelector("body[data-ready]");
        await work(page);
        assert.deepEqual(faults, []);
        await context.close();
      });

    const picture = async (page, view) => {
      if (!SCREENSHOTS) return;
      const file = `${name.includes("server") ? "server" : "site"}-${view}.png`;
      await page.screenshot({ path: join(SCREENSHOTS, file) });
    };
    onPage("a game is played to its end", async (page) => {
      await setUp(page, ONE_MOVE_WIN);
      await show(page, "play");
      await choose(page, "#play-from", "board");
      await page.click("#play-start");
      await says(page, /Your move/, "#status");
      await page.waitForSelector(".cell.movable");
      await cell(page, 28).click();
      assert.match(await cell(page, 17).getAttribute("aria-label"), /can go here/);
      await cell(page, 17).click();
      await says(page, /White wins/);
      assert.equal(await page.locator("#moves button.m").count(), 1);
    });

    onPage("the engine answers in a whole game at its weakest level", async (page) => {
      await level(page, 1);
      await page.click("#play-start");
      for (let ply = 1; ply < 12; ply += 2) {
        await says(page, /Your move|plays/);
        await page.waitForFunction((count) => document.querySelectorAll("#moves button.m").length === count, ply - 1);
        await playSomething(page);
      }
      await picture(page, "play");
      await page.click("#play-back");
      await says(page, /Your move/);
    });

    onPage("an endgame is set up and its value read", async (page) => {
      await setUp(page, KNOWN_ENDGAME);
      await show(page, "endgames");
      await says(page, /White wins/, "#value");
      await says(page, /in 43 plies, with 18-12 alone/, "#value-more");
      const best = page.locator("#values li").first();
      assert.match(await best.innerText(), /Wins · 1\s+18-12\s+in 43/);
      assert.match(await cell(page, 18).getAttribute("aria-label"), /wins/);
      assert.equal(await page.locator("#frame .values circle.win").count(), 1);
      await says(page, /^1\. 18-12 /, "#line");
      await picture(page, "endgame");
    });

    onPage("a lesson judges moves and answers", async (page) => {
      // Somebody who asks for a hint before the values are there gets it with them.
      await page.route("**/v1/probe*", async (route) => {
        await new Promise((later) => setTimeout(later, 300));
        await route.continue();
      });
      await show(page, "endgames");
      await page.selectOption("#slice", "0103");
      await page.click("#lesson-form button.main");
      await says(page, /Win with/, "#title");
      await page.click("#lesson-hint");
      await says(page, /has the best move/, "#verdict");
      await page.click("#lesson-hint");
      await says(page, /Try/, "#verdict");
      const move = (await text(page, "#verdict .tip:first-child")).match(/\d+[-x]\d+\S*/)[0];
      await type(page, move);
      await says(page, /perfect/, "#verdict");
      assert.match(await text(page, "#verdict"), /The answer is|wins/);
    });

    onPage("analysis shows lines, arrows and a curve", async (page) => {
      await show(page, "analysis");
      await page.click("#analyse");
      await page.waitForFunction(() => document.querySelectorAll("#variations li").length === 3);
      await page.waitForFunction(() => document.querySelectorAll("#frame g.arrows > *").length === 3);
      assert.match(await text(page, "#depth"), /Depth \d+/);
      await picture(page, "analysis");
      await page.locator("#variations [data-ply]").first().click();
      await page.waitForFunction(() => document.querySelectorAll("#moves button.m").length === 1);
      await page.waitForFunction(() => document.querySelectorAll("#curve .w").length === 1);
      await page.click("#analyse");
    });

    onPage("the analysis of a whole game can be stopped", async (page) => {
      // Positions that are not searched are hatched.
      const circles = async () => 65 - (await page.locator("#curve .gap").count());
      const label = (word) => page.waitForFunction(
        (word) => document.querySelector("#whole b").textContent === word, word);
      // Long enough not to end before it is stopped.
      await read(page, LONG_GAME);
      await show(page, "analysis");
      await page.click("#whole-open");
      await page.click("#whole-start");
      await label("Stop");
      await page.waitForFunction(() => document.querySelectorAll("#curve .gap").length <= 63);
      await page.click("#whole-stop");
      await says(page, /The analysis was stopped/);
      await label("Analyse whole game");
      const kept = await circles();
      assert.ok(kept >= 2 && kept < 65, `${kept} positions`);

      // With the keys, in another language, and with an analysis begun meanwhile.
      await speak(page, "nl");
      await blur(page);
      await page.keyboard.press("w");
      await label("Stoppen");
      await speak(page, "en");
      await label("Stop");
      await blur(page);
      await page.keyboard.press("w");
      await label("Analyse whole game");
      await page.keyboard.press("w");
      await label("Stop");
      await page.keyboard.press("a");
      await label("Analyse whole game");
      await page.waitForFunction(() => document.querySelectorAll("#variations li").length === 3);
      await page.keyboard.press("a");

      // Another game on the desk ends it, too; a short one is analysed to its end.
      await page.keyboard.press("w");
      await label("Stop");
      await read(page, PDN);
      await label("Analyse whole game");
      await show(page, "analysis");
      await within(page, "whole-pop", () => page.click("#whole-start"));
      await says(page, /The game is analysed/);
      assert.equal(await page.locator("#curve .gap").count(), 0);
      assert.equal(await text(page, "#subtitle"), "2-0 · 2 moves · 50,000 nodes");
    });

    onPage("an annotated game is stepped through and edited", async (page) => {
      await read(page, PDN);
      assert.match(await text(page, "#say"), /Games read: 2/);
      await show(page, "analysis");
      await page.click("#forward");
      assert.equal(await text(page, "#position-comment"), "A good start.");
      await page.click("#last");
      assert.equal(await page.locator("#moves button.m[aria-current]").innerText(), "14x23");
      assert.equal(await page.locator("#moves .variation .m").count(), 2);
      await page.locator("#moves .variation .m").first().click();
      assert.match(await cell(page, 23).getAttribute("aria-label"), /Black man/);
      await comment(page, "Bert's idea");
      await command(page, "promote");
      await picture(page, "game");
      const written = await pdn(page);
      assert.match(written.replace(/\s+/g, " "), /1\. 32-28 \{A good start\.\} 1\.\.\. 18-23 \{Bert's idea\} \(1\.\.\. 19-23/);
      await page.click("#first");
      await page.click("#forward");
      await command(page, "delete");
      assert.equal(await page.locator("#moves button.m").count(), 0);
      await show(page, "game");
      await page.click("#games tr:nth-child(2) button");
      assert.equal(await text(page, "#title"), "Carla – Dirk");
      await within(page, "names", async () => assert.equal(await page.locator("#tag-White").inputValue(), "Carla"));
    });

    onPage("the book shows its moves with their games", async (page) => {
      await show(page, "book");
      const rows = page.locator("#book-moves tr");
      if (!name.includes("server")) {
        // The program's book, made by search: scores only.
        await says(page, /^Score/, "#book-text");
        const row = rows.filter({ hasText: "33-28" });
        assert.equal(await row.locator("td").count(), 1);
        await picture(page, "book");
        await row.locator("button").click();
        await page.waitForFunction(() => document.querySelector("#moves button.m")?.textContent.includes("33-28"));
        return says(page, /searched to depth 1\d/, "#book-text");
      }
      await says(page, /^Games: 2/, "#book-text");
      assert.equal(await rows.count(), 2);
      const row = rows.filter({ hasText: "33-28" });
      assert.deepEqual(await row.locator("td").allInnerTexts(), ["1", "100", "–"]);
      assert.equal(await row.locator(".split").getAttribute("aria-label"), "White 0 %, draw 100 %, Black 0 %");
      await picture(page, "book");
      await row.locator("button").click();
      await says(page, /^Games: 1/, "#book-text");
      assert.equal(await page.locator("#moves button.m").innerText(), "33-28");
      await setUp(page, KNOWN_ENDGAME);
      await show(page, "book");
      await says(page, /not in the book/, "#book-text");
    });

    onPage("a position is set up by dragging", async (page) => {
      await show(page, "setup");
      await page.click("#clear");
      await cell(page, 28).click();
      await choose(page, "#piece", "B");
      await cell(page, 10).click();
      await cell(page, 28).hover();
      await page.mouse.down();
      await cell(page, 32).hover();
      await page.mouse.up();
      assert.equal(await page.locator("#fen").inputValue(), "W:W32:BK10");
      await picture(page, "setup");
      await page.fill("#fen", "nonsense");
      await page.press("#fen", "Enter");
      await says(page, /not a FEN/, "#fen-problem");
      await page.fill("#fen", "W:W5:BK10");
      await page.press("#fen", "Enter");
      await page.click("#setup-done");
      await says(page, /its promotion row/, "#fen-problem");
    });

    onPage("everything can be done with the keyboard", async (page) => {
      const { keyboard } = page;
      await keyboard.press("2");
      await page.waitForSelector(".cell.movable");
      await keyboard.press("b");
      // From square 28 one row down and to the left: 33, 32.
      await keyboard.press("ArrowDown");
      await keyboard.press("ArrowLeft");
      assert.equal(await page.evaluate(() => document.activeElement.dataset.square), "32");
      await keyboard.press("Enter");
      await keyboard.press("ArrowUp");
      await keyboard.press("ArrowRight");
      await keyboard.press("Enter");
      await page.waitForFunction(() => document.querySelectorAll("#moves button.m").length === 1);
      await says(page, /32-28/);
      await keyboard.press("Tab");
      await blur(page);
      await keyboard.press("m");
      await keyboard.type("19-23");
      await keyboard.press("Enter");
      await keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelectorAll("#moves button.m").length === 2);
      await blur(page);
      await keyboard.press("ArrowLeft");
      assert.equal(await page.locator("#moves button.m[aria-current]").innerText(), "32-28");
      await keyboard.press("3");
      assert.equal(await page.locator("#tab-endgames").getAttribute("aria-selected"), "true");
      await page.locator("#tab-endgames").focus();
      await keyboard.press("ArrowRight");
      await focused(page, "tab-book");
      await blur(page);
      await keyboard.press("?");
      await page.waitForSelector("#keys[open]");
      await keyboard.press("Escape");
      // The menus: opened by Enter, walked by arrows, closed by Escape, and the focus is back.
      await page.locator("#rail-more").focus();
      await keyboard.press("Enter");
      await page.waitForSelector("#more-menu:popover-open");
      assert.match(await page.locator("#manual").getAttribute("href"), /^https:.*board\.md$/);
      await focused(page, "settings");
      await keyboard.press("ArrowDown");
      await focused(page, "language-item");
      await keyboard.press("Escape");
      await focused(page, "rail-more");
      for (const [key, name] of [["1", "rail-play"], ["2", "rail-analysis"], ["7", "rail-learn"], ["8", "rail-database"]]) {
        await blur(page);
        await keyboard.press(key);
        assert.equal(await page.locator("#" + name).getAttribute("aria-current"), "page", key);
      }
      await keyboard.press("4");
      await page.waitForSelector("#setup");
      await keyboard.press("6");
      await page.waitForSelector("#game-menu:popover-open");
      await keyboard.press("Escape");
      const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
      await blur(page);
      await keyboard.press("d");
      assert.equal(await theme(), "dark");
      await keyboard.press("d");
      assert.equal(await theme(), "light");
    });

    onPage("every control has a name", async (page) => {
      const nameless = await page.evaluate(() => {
        const controls = document.querySelectorAll("button, input, select, textarea, [role=gridcell]");
        const hasName = (node) =>
          node.getAttribute("aria-label") || node.textContent.trim() || node.labels?.[0]?.textContent.trim() || node.hidden;
        return [...controls].filter((node) => !hasName(node)).map((node) => node.outerHTML);
      });
      assert.deepEqual(nameless, []);
      assert.equal(await page.locator("[role=grid] [role=row]").count(), 10);
      assert.equal(await page.locator("[role=gridcell]").count(), 50);
    });

    onPage("a phone is wide enough", async (page) => {
      for (const view of ["play", "analysis", "endgames", "setup", "book", "game", "learn", "database"]) {
        await show(page, view);
        const [wide, shown] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(wide <= shown, `${view}: ${wide} of ${shown} pixels`);
        await picture(page, "phone-" + view);
      }
    }, { viewport: { width: 360, height: 740 } });

    onPage("eight languages, light and dark", async (page) => {
      for (const [code, word] of [["nl", "Spelen"], ["fr", "Jouer"], ["ru", "Игра"], ["de", "Spielen"], ["pl", "Gra"], ["es", "Jugar"], ["pt", "Jogar"], ["en", "Play"]]) {
        await speak(page, code);
        assert.equal(await text(page, "#rail-play"), word);
        assert.equal(await page.evaluate(() => document.documentElement.lang), code);
      }
      await picture(page, "dark");
      const dark = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      await page.emulateMedia({ colorScheme: "light" });
      const light = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      assert.notEqual(dark, light);
    }, { colorScheme: "dark" });

    onPage("drawings and games are saved", async (page) => {
      await show(page, "analysis");
      const [drawing] = await Promise.all([page.waitForEvent("download"), within(page, "share-pop", () => page.click("#save-svg"))]);
      assert.match(await readFile(await drawing.path(), "utf8"), /^<svg[\s\S]*<\/svg>\s*$/);
      const [games] = await Promise.all([page.waitForEvent("download"), menu(page, "#save-pdn")]);
      assert.match(await readFile(await games.path(), "utf8"), /\[GameType "20"\]/);
    });
  });
}
