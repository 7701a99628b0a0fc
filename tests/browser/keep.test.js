// Nothing is lost: leaving asks first, the desk comes back, edits are undone.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { chromium } from "playwright-core";

import { serveFolder, startServer } from "./hosts.js";
import { cell, moves, play, playSomething, read, says, setUp, text, type } from "./pages.js";

const { MEERSLAG, SITE, CHROMIUM = "/usr/bin/chromium" } = process.env;

const TWO_GAMES = `[White "Anna"]
1. 32-28 {A good start.} 19-23 $1 (1... 18-23 {Another way.} 2. 37-32 (2. 38-32)) 2. 28x19 14x23 *

[White "Carla"]
1. 33-28 18-23 *
`;

let browser;
before(async () => (browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] })));
after(() => browser.close());

describe("what lies on the desk", () => {
  let host;
  before(async () => (host = MEERSLAG ? await startServer(MEERSLAG) : await serveFolder(SITE)));
  after(() => host.stop());

  /** Runs a test; open() visits the page, in a new tab. */
  const visit = (title, work) =>
    test(title, { timeout: 120_000 }, async () => {
      const context = await browser.newContext({ locale: "en-GB" });
      const faults = [];
      const open = async () => {
        const page = await context.newPage();
        page.setDefaultTimeout(30_000);
        page.on("pageerror", (error) => faults.push(String(error)));
        await page.goto(host.url);
        await page.waitForSelector("body[data-ready]");
        return page;
      };
      await work(open);
      assert.deepEqual(faults, []);
      await context.close();
    });
  const reload = async (page) => {
    page.once("dialog", (dialog) => dialog.accept());
    await page.reload();
    await page.waitForSelector("body[data-ready]");
  };
  /** Whether the page asks before it is left; it stays. */
  const asks = async (page) => {
    let asked = false;
    const answer = async (dialog) => {
      assert.equal(dialog.type(), "beforeunload");
      asked = true;
      await dialog.dismiss();
    };
    page.on("dialog", answer);
    await page.evaluate(() => setTimeout(() => location.assign("about:blank#left")));
    await page.waitForFunction(() => true).catch(() => {});
    for (let look = 0; look < 20 && !asked && !page.url().endsWith("left"); look++) await page.waitForTimeout(100);
    page.off("dialog", answer);
    return asked;
  };
  const pdn = async (page) => {
    await page.click("#tab-game");
    await page.fill("#pdn-text", "");
    await page.click("#show-pdn");
    await page.waitForFunction(() => document.querySelector("#pdn-text").value);
    return page.locator("#pdn-text").inputValue();
  };

  visit("a game that is not saved asks before the page is left", async (open) => {
    const page = await open();
    await type(page, "32-28");
    await moves(page, 1);
    assert.equal(await asks(page), true);
    await page.click("#tab-game");
    await Promise.all([page.waitForEvent("download"), page.click("#save-pdn")]);
    await page.fill("#comment", "My idea");
    assert.equal(await asks(page), true, "a comment that is being typed");
    assert.equal(await text(page, "#position-comment"), "My idea");
    await Promise.all([page.waitForEvent("download"), page.click("#save-pdn")]);
    await page.waitForTimeout(300);
    assert.equal(await asks(page), false);
  });

  visit("games as their file has them do not", async (open) => {
    const page = await open();
    await read(page, TWO_GAMES);
    await page.click("#last");
    await page.click("#delete");
    assert.equal(await asks(page), true);
    await page.click("#undo");
    assert.equal(await asks(page), false);
  });

  visit("all of it comes back: after a reload, and at the next visit", async (open) => {
    const page = await open();
    await read(page, TWO_GAMES);
    await page.selectOption("#games", { index: 1 });
    await page.selectOption("#games", { index: 0 });
    await page.click("#last");
    await type(page, "33-28");
    await moves(page, 8);
    await page.fill("#comment", "Mine");
    await page.press("#comment", "Enter");
    await page.fill("#tag-Event", "Club");
    await page.click("#flip");
    await page.click("#tab-analysis");
    await page.selectOption("#lines", "5");
    await page.click("#back");
    const before = await pdn(page);
    assert.match(before.replace(/\s+/g, " "), /\[Event "Club"\].*\(1\.\.\. 18-23 \{Another way\.\} 2\. 37-32 \(2\. 38-32\)\).*\{Mine\}.*Carla/);
    const now = await page.locator("#moves .move[aria-current]").innerText();

    const same = async (page) => {
      assert.equal(await page.locator("#moves .move[aria-current]").innerText(), now);
      assert.equal(await page.locator("#tab-game").getAttribute("aria-selected"), "true");
      assert.equal(await page.locator("#lines").inputValue(), "5");
      // Black's side is below.
      const [upper, lower] = [await cell(page, 50).boundingBox(), await cell(page, 1).boundingBox()];
      assert.ok(upper.y < lower.y);
      assert.equal(await pdn(page), before);
    };
    await reload(page);
    await says(page, /Restored from your last visit/);
    await same(page);
    await page.close();
    const next = await open();
    await same(next);
    assert.equal(await asks(next), true, "and is still not saved");
  });

  visit("a game against the engine goes on, and so does a lesson", async (open) => {
    const page = await open();
    await play(page, 0.5);
    await page.route("**/v1/play?*", () => {});
    await type(page, "39-34");
    if (MEERSLAG) await says(page, /is thinking/);
    await page.unroute("**/v1/play?*");
    await reload(page);
    await moves(page, 2);
    await says(page, /engine plays/);
    await page.click("#tab-endgames");
    await page.click("#lesson-form button.main");
    await says(page, /Win with/, "#verdict");
    await reload(page);
    await says(page, /Win with/, "#verdict");
    await page.waitForSelector("#lesson-hint:enabled");
    await playSomething(page);
    await says(page, /perfect|keeps|costs|mistake/, "#verdict");
  });

  visit("a damaged memory is not a memory", async (open) => {
    const page = await open();
    for (const kept of ["{", '{"version":1,"games":[{"start":"W:W28"}]}', '{"version":1,"games":[]}', '{"version":99}', "null"]) {
      await page.evaluate((kept) => {
        // Leaving the page does not overwrite it.
        for (const storage of [sessionStorage, localStorage]) storage.setItem("games", kept);
        Storage.prototype.setItem = () => {};
      }, kept);
      await page.reload();
      await page.waitForSelector("body[data-ready]");
      await page.waitForSelector(".cell.movable");
      assert.match(await cell(page, 31).getAttribute("aria-label"), /White man/, kept);
    }
  });

  /** Makes the storages refuse texts with this word. */
  const fill = (page, word) =>
    page.evaluate((word) => {
      const set = Storage.prototype.setItem;
      Storage.prototype.setItem = function (name, value) {
        if (value.includes(word)) throw new DOMException("full", "QuotaExceededError");
        return set.call(this, name, value);
      };
    }, word);

  visit("what the storage has no room for is kept all the same", async (open) => {
    const page = await open();
    await fill(page, "Carla");
    await read(page, TWO_GAMES);
    await page.selectOption("#games", { index: 1 });
    await page.click("#last");
    await page.waitForTimeout(500);
    await reload(page);
    assert.equal(await page.locator("#tag-White").inputValue(), "Carla");
    assert.equal(await page.locator("#games option").count(), 2);
    assert.equal(await text(page, "#moves .move[aria-current]"), "18-23");
  });

  visit("without the archive the game on the board is kept, and the page says so", async (open) => {
    const page = await open();
    await page.evaluate(() => (IDBObjectStore.prototype.put = () => {
      throw new DOMException("full", "QuotaExceededError");
    }));
    await read(page, "1. 32-28 *");
    await page.waitForTimeout(500);
    await fill(page, "Carla");
    await page.fill("#pdn-text", TWO_GAMES);
    await page.click("#pdn-read");
    await says(page, /cannot keep all games/);
    await reload(page);
    assert.equal(await page.locator("#tag-White").inputValue(), "Anna");
    await moves(page, 7);
  });

  visit("recent games are listed, opened, saved and forgotten", async (open) => {
    const page = await open();
    await read(page, TWO_GAMES);
    await says(page, /Anna.*2 games/, "#recent");
    await page.selectOption("#games", { index: 0 });
    await read(page, '[White "Emil"]\n1. 34-30 20-25 *');
    await says(page, /Emil.*2 plies/, "#recent");
    await page.close();
    // The next day.
    const next = await open();
    await next.click("#tab-game");
    await next.waitForFunction(() => document.querySelectorAll("#recent li").length === 2);
    assert.match(await next.locator("#recent button").first().innerText(), /Emil/);
    await next.locator("#recent button", { hasText: "Anna" }).click();
    await moves(next, 7);
    await next.fill("#tag-Event", "Again");
    await next.press("#tag-Event", "Tab");
    await next.waitForTimeout(500);
    // An edited game stays one entry.
    assert.equal(await next.locator("#recent li").count(), 2);
    const [file] = await Promise.all([next.waitForEvent("download"), next.click("#save-all")]);
    const saved = await readFile(await file.path(), "utf8");
    assert.match(saved, /Anna[^]*Carla[^]*Emil/);
    assert.match(saved, /\[Event "Again"\]/);
    await next.locator("#recent button[data-action=forget]").last().click();
    await next.waitForFunction(() => document.querySelectorAll("#recent li").length === 1);
    assert.match(await next.locator("#recent").innerText(), /Anna/);
  });

  visit("every edit is undone, and done again", async (open) => {
    const page = await open();
    const undo = page.locator("#undo");
    assert.equal(await undo.isDisabled(), true);
    await read(page, TWO_GAMES);
    await moves(page, 7);
    // Delete, with the button; a redo is an undo of the undo.
    await page.locator("#moves .move").first().click();
    await page.click("#delete");
    await moves(page, 0);
    await undo.click();
    await moves(page, 7);
    assert.equal(await page.locator("#moves .move[aria-current]").innerText(), "32-28");
    await page.click("#redo");
    await moves(page, 0);
    assert.equal(await page.locator("#redo").isDisabled(), true);
    await page.locator("#help").focus();
    await page.keyboard.press("u");
    await moves(page, 7);
    await page.keyboard.press("Control+y");
    await moves(page, 0);
    await page.keyboard.press("Control+z");
    await moves(page, 7);
    // Several edits, one after another.
    const order = [];
    for (const nag of ["1", "2", "5"]) {
      await page.selectOption("#sign", nag);
      order.push(await page.locator("#moves .move[aria-current]").innerText());
    }
    assert.deepEqual(order, ["32-28!", "32-28?", "32-28!?"]);
    for (const sign of ["?", "!", ""]) {
      await undo.click();
      assert.equal(await page.locator("#moves .move[aria-current]").innerText(), "32-28" + sign);
    }
    for (const sign of ["!", "?", "!?"]) {
      await page.click("#redo");
      assert.equal(await page.locator("#moves .move[aria-current]").innerText(), "32-28" + sign);
    }
    for (let edit = 0; edit < 3; edit++) await undo.click();
    // Other games, a new game, a lesson, a position of the editor.
    await read(page, "1. 34-30 *");
    await moves(page, 1);
    await page.keyboard.press("Escape");
    await page.locator("#help").focus();
    await page.keyboard.press("Control+z");
    await moves(page, 7);
    assert.equal(await page.locator("#tag-White").inputValue(), "Anna");
    for (const start of [
      async () => {
        await page.click("#tab-play");
        await page.selectOption("#play-from", "initial");
        await page.click("#play-form button.main");
        // Once too often: undo does not restore an empty game.
        await says(page, /Your move/);
        await page.click("#play-form button.main");
      },
      async () => {
        await page.click("#tab-endgames");
        await page.click("#slice-set");
      },
      () => setUp(page, "W:W28:B22"),
    ]) {
      await start();
      await moves(page, 0);
      await undo.click();
      await moves(page, 7);
    }
    // Comments, signs, names, the order of variations.
    await page.click("#tab-game");
    await page.locator("#moves .variation .move").first().click();
    const before = await pdn(page);
    for (const edit of [
      () => page.fill("#comment", "").then(() => page.press("#comment", "Enter")),
      () => page.selectOption("#sign", "2"),
      () => page.fill("#tag-White", "Nobody").then(() => page.press("#tag-White", "Tab")),
      () => page.selectOption("#result", "1-1"),
      () => page.click("#promote"),
    ]) {
      await edit();
      assert.notEqual(await pdn(page), before);
      await undo.click();
      assert.equal(await pdn(page), before);
    }
  });

  visit("a move that was taken back comes back, and the game goes on", async (open) => {
    const page = await open();
    await play(page);
    await type(page, "39-34");
    await moves(page, 2);
    await says(page, /engine plays/);
    await page.click("#play-back");
    await moves(page, 0);
    await page.click("#undo");
    await moves(page, 2);
    await says(page, /Your move/);
    await playSomething(page);
    await moves(page, 4);
    // A game left by mistake goes on, too.
    await setUp(page, "W:W28:B22");
    await moves(page, 0);
    await page.click("#undo");
    await moves(page, 4);
    await says(page, /Your move/);
    await playSomething(page);
    await moves(page, 6);
  });

  visit("a position that is used is played on, one that is begun stays", async (open) => {
    const page = await open();
    await page.click("#tab-analysis");
    await setUp(page, "W:W28,38:B22");
    await says(page, /The position is set up/);
    assert.equal(await page.locator("#tab-analysis").getAttribute("aria-selected"), "true");
    await cell(page, 28).click();
    await cell(page, 17).click();
    await moves(page, 1);
    await page.click("#tab-setup");
    await page.click("#clear");
    await cell(page, 28).click();
    await page.click("#tab-play");
    await page.selectOption("#language", "nl");
    await page.click("#tab-setup");
    assert.equal(await page.locator("#fen").inputValue(), "B:W28:B");
  });

  visit("a verdict goes with its lesson", async (open) => {
    const page = await open();
    await page.click("#tab-endgames");
    await page.click("#lesson-form button.main");
    await says(page, /Win with/, "#verdict");
    await page.click("#lesson-end");
    await says(page, /The lesson has ended/, "#verdict");
    await setUp(page, "W:W28:B22");
    await page.click("#tab-endgames");
    await says(page, /^$/, "#verdict");
    // A game from the position of a lesson is not a lesson.
    await page.click("#lesson-form button.main");
    await says(page, /Win with/, "#verdict");
    await page.click("#tab-play");
    await page.selectOption("#play-from", "board");
    await page.click("#play-form button.main");
    await says(page, /^$/, "#verdict");
    assert.equal(await page.locator("#lesson-end").isDisabled(), true);
  });

  visit("moves are copied as people write them", async (open) => {
    const page = await open();
    await read(page, TWO_GAMES);
    await page.evaluate(() => getSelection().selectAllChildren(document.querySelector("#moves")));
    await page.keyboard.press("Control+c");
    await page.fill("#pdn-text", "");
    await page.focus("#pdn-text");
    await page.keyboard.press("Control+v");
    const copied = "1. 32-28 {A good start.} 1... 19-23! "
      + "(1... 18-23 {Another way.} 2. 37-32 (2. 38-32)) 2. 28x19 14x23";
    assert.equal(await page.locator("#pdn-text").inputValue(), copied);
    await page.click("#pdn-read");
    await moves(page, 7);
    assert.equal(await text(page, "#pdn-problem"), "");
  });
});
