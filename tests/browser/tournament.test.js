// The page of a running tournament, for spectators and for its director.
//
// MEERSLAG: the program; without it nothing is tested here. CHROMIUM: the browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { createInterface } from "node:readline";

import { before as inFront, launch } from "./hosts.js";
import { inLanguage } from "./pages.js";
import { barriers, faults } from "./reading.js";

const { MEERSLAG } = process.env;
const options = { skip: MEERSLAG ? false : "MEERSLAG is not set", timeout: 300_000 };
const TOKEN = "a-token-for-the-tests";

const player = (name) => `[[player]]\nname = "${name}"\nengine = "builtin"\n`;
const CUP = `event = "Club cup <b>"
format = "round-robin"
games = 2
time-control = "60+0.5"
concurrency = 2
max-moves = 20
${["Anna", "Bert", "Carla", "Dirk"].map(player).join("")}`;

let browser;
let folder;
let child;
let url;
before(async () => {
  if (options.skip) return;
  browser = await launch();
  folder = await mkdtemp(join(tmpdir(), "meerslag-"));
  await writeFile(join(folder, "cup.toml"), CUP);
  [child, url] = await serve("cup.toml");
});
/** Serves the page of a tournament: the process, and the address. */
const serve = async (name, ...more) => {
  const args = ["tournament", join(folder, name), "--serve", "127.0.0.1:0", "--token", TOKEN, ...more];
  const process = spawn(MEERSLAG, args, { stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of createInterface({ input: process.stderr })) {
    const own = line.match(/spectators: (\S+)/)?.[1];
    if (own) return [process, (await inFront({ url: own, stop: () => {} }, 0, "tournament.html")).url];
  }
};
after(async () => {
  if (options.skip) return;
  child.kill("SIGKILL");
  await browser.close();
  await rm(folder, { recursive: true });
});

const open = async (hash = "", context = {}) => {
  const page = await (await browser.newContext(context)).newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(url + hash);
  await page.waitForSelector(".game svg use");
  return { page, errors };
};

test("spectators see boards, clocks, places, pairings and events, and no buttons", options, async () => {
  const { page, errors } = await open();
  assert.equal(await page.locator("h1").innerText(), "Club cup <b>");
  assert.match(await page.locator("#state").innerText(), /^Round 1: in progress$/);
  await page.waitForFunction(() => document.querySelectorAll(".game .last")[0].textContent.includes("1. "));
  assert.equal(await page.locator(".game").count(), 2);
  assert.ok((await page.locator(".game").first().locator("use").count()) > 10);
  const clocks = await page.locator(".game").first().locator(".clock").allInnerTexts();
  assert.ok(clocks.every((text) => /^(01:0\d|00:\d\d|\d\d\.\d)/.test(text)), clocks.join());
  assert.match(await page.locator(".game").first().locator(".seen").first().innerText(), /depth \d+/);
  const heads = await page.locator("#places thead th").allInnerTexts();
  assert.deepEqual(heads.slice(0, 5), ["place", "no.", "player", "points", "Sonneborn-Berger"]);
  assert.equal(await page.locator("#places tbody tr").count(), 4);
  assert.match(await page.locator("#round").innerText(), /1\. Anna – Dirk/);
  assert.match(await page.locator("#next-title").innerText(), /^Next round: 2$/);
  assert.equal(await page.locator("#next li").count(), 4);
  assert.match(await page.locator("#feed li").last().innerText(), /Round 1 is paired/);
  assert.equal(await page.locator("button:visible").count(), 0);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("the director pauses, decides and lets go on; a wrong token opens nothing", options, async () => {
  const { page } = await open("#" + TOKEN);
  const asked = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    dialog.accept();
  });
  const says = page.locator("#director [role=status]");
  await page.click("text=Pause");
  await page.waitForFunction(() => document.querySelector("#state").textContent.includes("paused"));
  assert.equal(await says.innerText(), "done: Pause");
  const form = (text) => page.locator("#director form").filter({ hasText: text });
  // Chosen from a list, and asked before it happens.
  await form("Annul").locator("select").selectOption("1");
  await form("Annul").locator("button").click();
  // Whether it is running or has ended.
  await page.waitForFunction(() => /^1\. Anna – Dirk \* \(decided by the director\)/.test(document.querySelector("#round").textContent));
  assert.match(asked.pop(), /^The game does not count:\s+1\. Anna – Dirk/);
  await form("Withdraw").locator("select").selectOption("Bert");
  await form("Withdraw").locator("button").click();
  await page.waitForSelector("#places tr.gone");
  assert.match(asked.pop(), /^The player will not be paired again:\s+Bert/);
  // Who has gone is not in the list any more.
  await page.waitForFunction(() => ![...document.querySelectorAll("#director option")].some((one) => one.textContent === "Bert"));
  await page.selectOption("#language", "nl");
  assert.match(await form("Terugtrekken").innerText(), /Speler/);
  await page.selectOption("#language", "en");
  await page.click("text=Resume");
  await page.waitForFunction(() => document.querySelector("#state").textContent.includes("in progress"));
  await page.context().close();
  const wrong = await open("#wrong");
  await wrong.page.click("text=Pause");
  await wrong.page.waitForFunction(() => /token/.test(document.querySelector("#director [role=status]").textContent));
  assert.match(await wrong.page.locator("#state").innerText(), /in progress/);
  await wrong.page.context().close();
});

test("nobody is kept out, in any language, light and dark, wide and narrow", options, async () => {
  for (const [width, colorScheme, hash] of [[1280, "light", ""], [400, "dark", "#" + TOKEN], [1280, "dark", ""]]) {
    const { page, errors } = await open(String(hash), { viewport: { width: Number(width), height: 900 }, colorScheme, reducedMotion: "reduce" });
    for (const language of ["en", "nl", "fr", "ru", "de", "pl", "es", "pt"]) {
      await inLanguage(page, language);
      assert.deepEqual(await barriers(page), [], `${width} ${colorScheme} ${language}`);
      assert.deepEqual(await faults(page), [], `${width} ${colorScheme} ${language}`);
    }
    assert.deepEqual(errors, []);
    await page.context().close();
  }
});

test("who is there when it ends sees that it has ended", options, async () => {
  const { page } = await open();
  child.kill("SIGINT");
  await page.waitForFunction(() => document.querySelector("#state").textContent.includes("interrupted"));
  if (child.exitCode === null) await once(child, "exit");
  assert.equal(await page.locator("#lost").isVisible(), false);
  assert.ok((await readFile(join(folder, "cup.jsonl"), "utf8")).includes("\"decided\""));
  await page.context().close();
});

test("what stays is a file with places, rounds, events and games", options, async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto("file://" + join(folder, "cup.html"));
  assert.equal(await page.locator("h1").innerText(), "Club cup <b>");
  assert.equal(await page.locator("#places tbody tr").count(), 4);
  assert.match(await page.locator("#rounds h3").first().innerText(), /^Round 1$/);
  assert.match(await page.locator("#rounds li").first().innerText(), /^1\. Anna – Dirk \* \(decided by the director\)$/);
  assert.match(await page.locator("#feed li").first().innerText(), /The end$/);
  assert.match(await page.locator("#feed li").last().innerText(), /Round 1 is paired$/);
  await inLanguage(page, "nl");
  assert.match(await page.locator("#rounds h3").first().innerText(), /^Ronde 1$/);
  assert.deepEqual(await barriers(page), []);
  await page.context().close();
});

/** A page on which a tournament can be made. */
const toMake = async (name, context = {}) => {
  const [process, own] = await serve(name, "--make");
  const page = await (await browser.newContext({ locale: "en", ...context })).newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(own + "#" + TOKEN);
  await page.waitForSelector("#make:not([hidden])");
  const end = async () => {
    await page.context().close();
    process.kill("SIGKILL");
  };
  /** A field by its label. */
  const field = (label) => page.locator("#make").getByLabel(label, { exact: true });
  const says = (text) => page.waitForFunction((text) => document.querySelector("#make-says").textContent.includes(text), text);
  return { process, own, page, errors, end, field, says };
};

test("a tournament is made by ticking, saved, read, begun, paused and continued", options, async () => {
  const { process, own, page, errors, end, field, says } = await toMake("made.toml");
  const players = page.locator("#make-players li");
  assert.equal(await players.count(), 1);
  await players.first().locator("[type=checkbox]").check();
  await players.first().getByText("Meerslag").waitFor();
  // What a folder has is ticked; what is entered by path is tried at once.
  await mkdir(join(folder, "engines"));
  await symlink(resolve(MEERSLAG), join(folder, "engines", "meerslag"));
  await field("Folder with engines").fill(join(folder, "engines"));
  await page.click("#make-find");
  await says("found. Tick who plays.");
  const found = players.nth(1);
  await found.locator("[type=checkbox]").check();
  await found.locator("summary", { hasText: /^Meerslag \d/ }).click();
  await found.getByLabel("hash-mb", { exact: true }).fill("4");
  await found.getByLabel("hash-mb", { exact: true }).blur();
  assert.match(await found.getByLabel("Description of the engine").inputValue(), /hub" dir=".*" param\.hash-mb="4"$/);
  await found.getByLabel("Name").fill("Path");
  await found.getByLabel("Name").blur();
  await field("Program, HOST:PORT (DXP) or description").fill("cmd=/nonexistent/engine");
  await page.click("#make-add");
  await players.last().locator("summary.problem", { hasText: "/nonexistent/engine" }).waitFor();
  assert.equal(await players.last().locator("[type=checkbox]").isChecked(), false);
  // Rounds are not for this kind: the field is marked.
  await field("Name of the tournament").fill("Made");
  await field("Rounds (Swiss, first against the others)").fill("3");
  await page.locator("#make-keys select").nth(1).selectOption("move");
  await field("Seconds").fill("0.1");
  await page.click("#make-save");
  await says("rounds: 3: expected none");
  assert.equal(await field("Rounds (Swiss, first against the others)").getAttribute("aria-invalid"), "true");
  await field("Rounds (Swiss, first against the others)").fill("");
  await page.click("#make-save");
  await says("made.toml is saved.");
  const text = await readFile(join(folder, "made.toml"), "utf8");
  assert.match(text, /^event = "Made"\nformat = "round-robin"\ntime-control = "move=0.1"\n\n\[\[player\]\]\nname = "builtin"\nengine = "builtin"\n/);
  assert.match(text, /name = "Path"\nengine = .*hash-mb/);
  // A file of another place, in another language.
  await writeFile(join(folder, "other.toml"), text.replace("Made", "Other").replace("move=0.1", "40/60+0.5"));
  await page.setInputFiles("#make-file", join(folder, "other.toml"));
  await says("other.toml is read.");
  await page.selectOption("#language", "nl");
  assert.equal(await field("Naam van het toernooi").inputValue(), "Other");
  assert.equal(await field("Zetten (leeg: alle)").inputValue(), "40");
  assert.equal(await page.locator("#make-players [type=checkbox]:checked").count(), 2);
  await page.selectOption("#language", "en");
  // Spectators wait.
  const spectator = await (await browser.newContext({ locale: "en" })).newPage();
  await spectator.goto(own);
  await spectator.waitForSelector("text=The tournament has not begun.");
  assert.equal(await spectator.locator("#make").isVisible(), false);
  await page.click("#make-start");
  await page.waitForSelector(".game svg use");
  await spectator.waitForSelector(".game svg use");
  assert.equal(await page.locator("#make").isVisible(), false);
  assert.equal(await page.locator("h1").innerText(), "Other");
  await page.click("text=Pause");
  await page.waitForFunction(() => document.querySelector("#state").textContent.includes("paused"));
  await page.click("text=Resume");
  await page.waitForFunction(() => document.querySelector("#state").textContent.includes("in progress"));
  assert.deepEqual(errors, []);
  await spectator.context().close();
  assert.equal(process.exitCode, null);
  await end();
});

test("nobody is kept out of making one, in any language, light and dark, wide and narrow", options, async () => {
  for (const [width, colorScheme] of [[1280, "light"], [400, "dark"]]) {
    const { page, errors, end } = await toMake("none.toml", { viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" });
    await page.locator("#make-players [type=checkbox]").check();
    await page.locator("#make-players summary").click();
    await page.click("#make details >> text=More");
    await page.waitForSelector("#make-players .grid .field");
    for (const language of ["en", "nl", "fr", "ru", "de", "pl", "es", "pt"]) {
      await inLanguage(page, language);
      assert.deepEqual(await barriers(page), [], `${width} ${colorScheme} ${language}`);
      assert.deepEqual(await faults(page), [], `${width} ${colorScheme} ${language}`);
      const [across, wide] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(across <= wide, `${width} ${language}: ${across}`);
    }
    assert.deepEqual(errors, []);
    await end();
  }
});
