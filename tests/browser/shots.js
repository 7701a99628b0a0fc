// Pictures of every screen at four sizes, light and dark, to be looked at: `npm run shots`.
//
// MEERSLAG: the program. SHOTS: the folder for the pictures, by default `shots` below this one. ONLY: a part of
// the names, such as `phone-light`.

import { mkdir, writeFile } from "node:fs/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { launch, startServer } from "./hosts.js";
import { cell, choose, moves, read, says, setUp, show, step, within } from "./pages.js";

const { MEERSLAG, ONLY = "" } = process.env;
const SHOTS = process.env.SHOTS ?? fileURLToPath(new URL("shots/", import.meta.url));
if (!MEERSLAG) throw new Error("set MEERSLAG to the program");

const SIZES = { desk: [1280, 800], wide: [1440, 900], tablet: [820, 1180], phone: [390, 844] };

const GAME = `[Event "Club cup"]
[Date "2026.11.28"]
[White "Jansen"]
[Black "De Vries"]
[Result "0-2"]

1. 34-29 17-21 2. 29-23 (2. 31-27 {Slower, but it keeps the centre.}) 18x29 3. 33x24 20x29 4. 31-26 {Good.} 15-20
5. 26x17 11x22 6. 35-30 12-17 7. 30-24 19x30 8. 40-34 29x40 9. 44x15 14-19 0-2
`;

/** Each screen: its name, and how it is reached from the one before. */
const SCREENS = {
  play: (page) => show(page, "play"),
  more: (page) => page.click("#rail-more"),
  settings: (page) => page.click("#settings"),
  playing: async (page) => {
    await page.keyboard.press("Escape");
    await choose(page, "#play-clock", "5+3");
    await page.click("#play-start");
    await says(page, /Your move/, "#status");
    await cell(page, 32).click();
    await cell(page, 28).click();
    await moves(page, 2);
    await page.waitForSelector(".cell.movable");
    await page.locator(".cell.movable").first().click();
  },
  over: (page) => page.click("#play-resign"),
  analysis: async (page) => {
    await read(page, GAME);
    await step(page, "first");
    await step(page, "forward");
    await page.click("#analyse");
    await page.waitForFunction(() => document.querySelectorAll("#variations [data-ply]").length > 12);
    await page.click("#analyse");
  },
  menu: (page) => page.click("#game-menu-button"),
  note: async (page) => {
    await page.keyboard.press("Escape");
    await page.click("#note-button");
  },
  book: async (page) => {
    await page.keyboard.press("Escape");
    await step(page, "first");
    await show(page, "book");
    await page.waitForSelector("#book-moves tr");
  },
  position: (page) => show(page, "setup"),
  report: async (page) => {
    await show(page, "analysis");
    await within(page, "whole-pop", () => page.click("#whole-start"));
    await page.waitForSelector("#report");
    await page.locator("#mistakes button").first().click();
  },
  better: (page) => page.click("#better-first"),
  endgame: async (page) => {
    await page.click("#head-close");
    await setUp(page, "W:WK13,22:BK31,10");
    await show(page, "endgames");
    await says(page, /wins/, "#value");
    await cell(page, 13).click();
  },
  practise: async (page) => {
    await page.click("#practise");
    await page.click("#lesson-form button.main");
    await says(page, /Win with/, "#title");
    await page.click("#lesson-hint");
    await says(page, /best move/, "#verdict");
  },
  learn: (page) => show(page, "learn"),
  puzzle: async (page) => {
    await page.click("#combinations-go");
    await page.click("#puzzle-hint");
    await says(page, /best move/, "#puzzle-text");
  },
  games: async (page) => {
    await show(page, "database");
    await page.waitForSelector("#db-games tr", { state: "attached" });
  },
  pattern: async (page) => {
    await page.click("#db-draw");
    await cell(page, 28).click();
  },
};

await mkdir(SHOTS, { recursive: true });
const folder = await mkdtemp(join(tmpdir(), "shots-"));
await writeFile(join(folder, "games.pdn"), Array.from({ length: 60 }, (_, index) => GAME.replace("Jansen", "Jansen " + index).replace("2026", String(1960 + index))).join("\n"));
execFileSync(MEERSLAG, ["games", "import", join(folder, "games.pdn"), "--to", join(folder, "all.games")], { stdio: "ignore" });
const server = await startServer(MEERSLAG, ["--games", join(folder, "all.games")]);
const browser = await launch();
let failed = 0;
try {
  for (const [size, [width, height]] of Object.entries(SIZES)) {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      if (!`${size}-${colorScheme}`.includes(ONLY)) continue;
      const page = await browser.newPage({ viewport: { width, height }, colorScheme, locale: "en-GB", hasTouch: width < 1024, reducedMotion: "reduce" });
      page.setDefaultTimeout(60_000);
      page.on("dialog", (dialog) => dialog.accept());
      await page.goto(server.url);
      await page.waitForSelector("body[data-ready]");
      for (const [name, reach] of Object.entries(SCREENS)) {
        try {
          await reach(page);
        } catch (error) {
          failed++;
          console.error(`${size}-${colorScheme}-${name}: ${error}`);
        }
        await page.waitForTimeout(250);
        await page.screenshot({ path: join(SHOTS, `${size}-${colorScheme}-${name}.png`) });
      }
      await page.close();
    }
  }
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true });
}
process.exitCode = Number(failed > 0);
