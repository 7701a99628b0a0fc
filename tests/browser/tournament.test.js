// The page of a running tournament, for spectators and for its director.
//
// MEERSLAG: the program; without it nothing is tested here. CHROMIUM: the browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createInterface } from "node:readline";

import { launch } from "./hosts.js";
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
  const args = ["tournament", join(folder, "cup.toml"), "--serve", "127.0.0.1:0", "--token", TOKEN];
  child = spawn(MEERSLAG, args, { stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of createInterface({ input: child.stderr })) {
    url = line.match(/spectators: (\S+)/)?.[1];
    if (url) break;
  }
});
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
  assert.equal(await page.locator("button").count(), 0);
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
  assert.match(await says.innerText(), /^paused/);
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
