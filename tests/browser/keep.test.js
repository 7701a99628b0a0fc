// Nothing is lost: leaving asks first, the desk comes back, edits are undone.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";

import { launch, serveFolder, startServer } from "./hosts.js";
import { blur, cell, choose, chosen, command, comment, menu, moves, openGame, pdn, play, playSomething, read, redo, says, setUp, show, speak, tag, text, type, undo, within } from "./pages.js";

const { MEERSLAG, SITE } = process.env;

const TWO_GAMES = `[White "Anna"]
1. 32-28 {A good start.} 19-23 $1 (1... 18-23 {Another way.} 2. 37-32 (2. 38-32)) 2. 28x19 14x23 *

[White "Carla"]
1. 33-28 18-23 *
`;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

describe("what lies on the desk", () => {
  let host;
  before(async () => (host = MEERSLAG ? await startServer(MEERSLAG) : await serveFolder(SITE)));
  after(() => host.stop());

  /** Runs a test; open() visits the page, in a new tab. */
  const visit = (title, work) =>
    test(title, { timeout: 300_000 }, async () => {
      const context = await browser.newContext({ locale: "en-GB" });
      const faults = [];
      // A first visit begins with the analysis, where a move is not the start of a game.
      let isFirst = true;
      const open = async () => {
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        page.on("pageerror", (error) => faults.push(String(error)));
        await page.goto(host.url + (isFirst ? "#view=analysis" : ""));
        isFirst = false;
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
  visit("a game that is not saved asks before the page is left", async (open) => {
    const page = await open();
    await type(page, "32-28");
    await moves(page, 1);
    assert.equal(await asks(page), true);
    await Promise.all([page.waitForEvent("download"), menu(page, "#save-pdn")]);
    await page.click("#note-button");
    await page.fill("#comment", "My idea");
    assert.equal(await asks(page), true, "a comment that is being typed");
    assert.equal(await text(page, "#position-comment"), "My idea");
    await page.keyboard.press("Escape");
    await Promise.all([page.waitForEvent("download"), menu(page, "#save-pdn")]);
    await page.waitForTimeout(300);
    assert.equal(await asks(page), false);
  });

  visit("games as their file has them do not", async (open) => {
    const page = await open();
    await read(page, TWO_GAMES);
    await page.click("#last");
    await command(page, "delete");
    assert.equal(await asks(page), true);
    await undo(page);
    assert.equal(await asks(page), false);
  });

  visit("all of it comes back: after a reload, and at the next visit", async (open) => {
    const page = await open();
    await read(page, TWO_GAMES);
    await openGame(page, 2);
    await openGame(page, 1);
    await page.click("#last");
    await type(page, "33-28");
    await moves(page, 8);
    await comment(page, "Mine");
    await tag(page, "Event", "Club");
    await page.click("#flip");
    await show(page, "analysis");
    await choose(page, "#lines", "5");
    await page.click("#back");
    const before = await pdn(page);
    assert.match(before.replace(/\s+/g, " "), /\[Event "Club"\].*\(1\.\.\. 18-23 \{Another way\.\} 2\. 37-32 \(2\. 38-32\)\).*\{Mine\}.*Carla/);
    const now = await page.locator("#moves button.m[aria-current]").innerText();

    const same = async (page) => {
      assert.equal(await page.locator("#moves button.m[aria-current]").innerText(), now);
      assert.equal(await page.locator("#tab-analysis").getAttribute("aria-selected"), "true");
      assert.equal(await chosen(page, "#lines"), "5");
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
    await show(page, "endgames");
    await page.click("#lesson-form button.main");
    await says(page, /Win with/, "#title");
    await reload(page);
    await says(page, /Win with/, "#title");
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

  /** Waits until the archive has a game with this word. */
  const isArchived = (page, word) => page.waitForFunction(async (word) => {
    const done = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const database = await done(indexedDB.open("meerslag"));
    const all = await done(database.transaction("desks").objectStore("desks").getAll());
    database.close();
    return all.some(({ kept }) => kept.includes(word));
  }, word);

  visit("what the storage has no room for is kept all the same", async (open) => {
    const page = await open();
    await fill(page, "Carla");
    await read(page, TWO_GAMES);
    await openGame(page, 2);
    await page.click("#last");
    await isArchived(page, "Carla");
    await reload(page);
    assert.equal(await page.locator("#tag-White").inputValue(), "Carla");
    assert.equal(await page.locator("#games tr").count(), 2);
    assert.equal(await text(page, "#moves button.m[aria-current]"), "18-23");
  });

  visit("without the archive the game on the board is kept, and the page says so", async (open) => {
    const page = await open();
    await page.evaluate(() => (IDBObjectStore.prototype.put = () => {
      document.body.dataset.refused = "";
      throw new DOMException("full", "QuotaExceededError");
    }));
    await read(page, "1. 32-28 *");
    await page.waitForSelector("body[data-refused]");
    await fill(page, "Carla");
    await within(page, "open", async () => {
      await page.fill("#pdn-text", TWO_GAMES);
      await page.click("#pdn-read");
      await says(page, /cannot keep all games/);
    });
    await reload(page);
    assert.equal(await page.locator("#tag-White").inputValue(), "Anna");
    await moves(page, 7);
  });

  visit("recent games are listed, opened, saved and forgotten", async (open) => {
    const page = await open();
    await read(page, TWO_GAMES);
    await show(page, "database");
    await says(page, /Anna.*2 games/, "#recent");
    await openGame(page, 1);
    await read(page, '[White "Emil"]\n1. 34-30 20-25 *');
    await show(page, "database");
    await says(page, /Emil.*2 plies/, "#recent");
    await page.close();
    // The next day.
    const next = await open();
    await show(next, "database");
    await next.waitForFunction(() => document.querySelectorAll("#recent li").length === 2);
    assert.match(await next.locator("#recent button").first().innerText(), /Emil/);
    await next.locator("#recent button", { hasText: "Anna" }).click();
    await moves(next, 7);
    await tag(next, "Event", "Again");
    await isArchived(next, "Again");
    await show(next, "database");
    await next.waitForSelector("#recent li");
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
    assert.equal(await page.locator("#undo").isDisabled(), true);
    await read(page, TWO_GAMES);
    await moves(page, 7);
    // Delete, with the button; a redo is an undo of the undo.
    await page.locator("#moves button.m").first().click();
    await command(page, "delete");
    await moves(page, 0);
    await undo(page);
    await moves(page, 7);
    assert.equal(await page.locator("#moves button.m[aria-current]").innerText(), "32-28");
    await menu(page, "#redo");
    await moves(page, 0);
    assert.equal(await page.locator("#redo").isDisabled(), true);
    await blur(page);
    await page.keyboard.press("u");
    await moves(page, 7);
    await page.keyboard.press("Control+y");
    await moves(page, 0);
    await page.keyboard.press("Control+z");
    await moves(page, 7);
    // Several edits, one after another.
    const order = [];
    for (const nag of ["1", "2", "5"]) {
      await choose(page, "#sign", nag);
      order.push(await page.locator("#moves button.m[aria-current]").textContent());
    }
    assert.deepEqual(order, ["32-28!", "32-28?", "32-28!?"]);
    for (const sign of ["?", "!", ""]) {
      await undo(page);
      assert.equal(await page.locator("#moves button.m[aria-current]").textContent(), "32-28" + sign);
    }
    for (const sign of ["!", "?", "!?"]) {
      await redo(page);
      assert.equal(await page.locator("#moves button.m[aria-current]").textContent(), "32-28" + sign);
    }
    for (let edit = 0; edit < 3; edit++) await undo(page);
    // Other games, a new game, a lesson, a position of the editor.
    await read(page, "1. 34-30 *");
    await moves(page, 1);
    await page.keyboard.press("Escape");
    await blur(page);
    await page.keyboard.press("Control+z");
    await moves(page, 7);
    assert.equal(await page.locator("#tag-White").inputValue(), "Anna");
    for (const start of [
      async () => {
        await show(page, "play");
        await choose(page, "#play-from", "initial");
        await page.click("#play-start");
        await says(page, /Your move/, "#status");
      },
      async () => {
        await show(page, "endgames");
        await page.click("#slice-set");
      },
      () => setUp(page, "W:W28:B22"),
    ]) {
      await start();
      await moves(page, 0);
      await undo(page);
      await moves(page, 7);
    }
    // Comments, signs, names, the order of variations.
    await show(page, "analysis");
    await page.locator("#moves .variation .m").first().click();
    const before = await pdn(page);
    for (const edit of [
      () => comment(page, ""),
      () => choose(page, "#sign", "2"),
      () => tag(page, "White", "Nobody"),
      () => choose(page, "#result", "1-1"),
      () => command(page, "promote"),
    ]) {
      await edit();
      assert.notEqual(await pdn(page), before);
      await undo(page);
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
    await undo(page);
    await moves(page, 2);
    await says(page, /Your move/);
    await playSomething(page);
    await moves(page, 4);
    // A game left by mistake goes on, too.
    await setUp(page, "W:W28:B22");
    await moves(page, 0);
    await undo(page);
    await moves(page, 4);
    await says(page, /Your move/);
    await playSomething(page);
    await moves(page, 6);
  });

  visit("a position that is used is played on, one that is begun stays", async (open) => {
    const page = await open();
    await show(page, "analysis");
    await setUp(page, "W:W28,38:B22");
    await says(page, /The position is set up/);
    assert.equal(await page.locator("#tab-analysis").getAttribute("aria-selected"), "true");
    await cell(page, 28).click();
    await cell(page, 17).click();
    await moves(page, 1);
    await show(page, "setup");
    await page.click("#clear");
    await cell(page, 28).click();
    await show(page, "play");
    await speak(page, "nl");
    await show(page, "setup");
    assert.equal(await page.locator("#fen").inputValue(), "B:W28:B");
  });

  visit("a verdict goes with its lesson", async (open) => {
    const page = await open();
    await show(page, "endgames");
    await page.click("#lesson-form button.main");
    await says(page, /Win with/, "#title");
    await page.click("#lesson-hint");
    await says(page, /best move/, "#verdict");
    await page.click("#head-close");
    await says(page, /The lesson has ended/);
    await setUp(page, "W:W28:B22");
    await show(page, "endgames");
    await says(page, /^$/, "#verdict");
    // A game from the position of a lesson is not a lesson.
    await page.click("#practise");
    await page.click("#lesson-form button.main");
    await says(page, /Win with/, "#title");
    await show(page, "play");
    await choose(page, "#play-from", "board");
    await page.click("#play-start");
    await says(page, /^$/, "#verdict");
    assert.equal(await page.locator("#lesson-hint").isDisabled(), true);
  });

  visit("moves are copied as people write them", async (open) => {
    const page = await open();
    await read(page, TWO_GAMES);
    await page.evaluate(() => getSelection().selectAllChildren(document.querySelector("#moves")));
    await page.keyboard.press("Control+c");
    await menu(page, "[data-act=open]");
    await page.fill("#pdn-text", "");
    await page.focus("#pdn-text");
    await page.keyboard.press("Control+v");
    const copied = "1. 32-28 {A good start.} 1... 19-23! "
      + "(1... 18-23 {Another way.} 2. 37-32 (2. 38-32)) 2. 28x19 14x23";
    assert.equal(await page.locator("#pdn-text").inputValue(), copied);
    await page.click("#pdn-read");
    await moves(page, 7);
    assert.equal(await page.locator("#pdn-problem").textContent(), "");
  });
});
