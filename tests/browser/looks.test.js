// The looks of the board: in every language and at every width no tab is wrapped, no text is cut off, no
// control lies over another, and fingers find what they need. Measured in the page, not read from its style.
//
// MEERSLAG, SITE, CHROMIUM: as for board.test.js.

import assert from "node:assert/strict";
import { test } from "node:test";

import { read, show, within } from "./pages.js";
import { browser, host } from "./stage.js";

/** Widths with their heights. */
const SIZES = { 320: 640, 390: 844, 820: 1180, 1280: 800, 1440: 900 };
const VIEWS = ["play", "analysis", "endgames", "setup", "book", "game", "learn", "database"];
const POPS = ["play-menu", "game-menu", "more-menu", "note", "share-pop", "lines-pop", "whole-pop", "names", "open", "diagrams-dialog", "look"];

const GAME = `[White "Jansen"]
[Black "De Vries"]
[Event "Club cup"]

1. 34-29 17-21 2. 29-23 (2. 31-27 {Slower.}) 18x29 3. 33x24 20x29 4. 31-26 {Good.} 15-20 *`;

/** What is wrong with what can be seen now, in words. */
const faults = (page, isTouched = false) => page.evaluate((isTouched) => {
  const found = [];
  const say = (what, node) => found.push(`${what}: ${node.id ? "#" + node.id : node.outerHTML.slice(0, 90)} ${node.textContent.trim().slice(0, 40)}`);
  const layer = document.querySelector("dialog[open], :popover-open") ?? document.body;
  const shown = (selector) => [...layer.querySelectorAll(selector)].filter((node) =>
    node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !node.closest(".unseen, .drawings"));

  /** The part of a box that its scrolling and clipping parents leave. */
  const clipped = (node, { left, top, right, bottom }) => {
    for (let parent = node.parentElement; parent && parent !== document.body; parent = parent.parentElement) {
      if (getComputedStyle(parent).overflowX === "visible") continue;
      const box = parent.getBoundingClientRect();
      [left, top, right, bottom] = [Math.max(left, box.left), Math.max(top, box.top), Math.min(right, box.right), Math.min(bottom, box.bottom)];
    }
    return { left, top, right, bottom };
  };

  const root = document.scrollingElement;
  if (root.scrollWidth > root.clientWidth + 1) found.push(`the page scrolls sideways: ${root.scrollWidth}`);

  // Texts: within the frames that cut them, and tabs on one line.
  const mayBeCut = ".lines, .cut, .strip, #fen-now, .cells, select, option, textarea";
  for (const node of shown("*")) {
    if (node.closest(mayBeCut) || node.closest("svg")) continue;
    const texts = [...node.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    if (texts.length === 0) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const seen = clipped(texts[0], box);
    if (box.right > seen.right + 1 || box.left < seen.left - 1) say("cut off", node);
    const control = node.closest("button, .btn, .opt, .chip, [role=tab]");
    if (!control) continue;
    const frame = control.getBoundingClientRect();
    if (box.right > frame.right + 1 || box.left < frame.left - 1 || box.bottom > frame.bottom + 2 || box.top < frame.top - 2) say("beyond its button", node);
    const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 4)));
    if (control.matches("[role=tab]") && lines.size > 1) say("a wrapped tab", node);
  }
  for (const list of shown("[role=tablist]")) {
    if (new Set([...list.children].map((tab) => Math.round(tab.getBoundingClientRect().top))).size > 1) say("a second row of tabs", list);
  }

  // Controls: beside each other.
  const controls = shown("button, a[href], input, select, textarea").filter((node) => !node.matches(":disabled"));
  const boxes = controls.map((node) => [node, clipped(node, node.getBoundingClientRect())])
    .filter(([, box]) => box.right - box.left > 4 && box.bottom - box.top > 4);
  const fixed = (node) => Boolean(node.closest(".rail, .toast"));
  for (const [index, [one, a]] of boxes.entries()) {
    for (const [other, b] of boxes.slice(index + 1)) {
      if (one.contains(other) || other.contains(one) || fixed(one) !== fixed(other)) continue;
      const [width, height] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
      if (width > 2 && height > 2) say("over " + (other.id || other.textContent), one);
    }
  }
  if (isTouched) {
    for (const node of controls) {
      // Words in a text may be as small as the text.
      if (node.closest(".note, .tip, p")) continue;
      // The ground of a switch is larger than what is drawn of it.
      const ground = getComputedStyle(node, "::before");
      const { width, height } = node.matches(".switch") ? { width: parseFloat(ground.width), height: parseFloat(ground.height) } : node.getBoundingClientRect();
      if (width < 43.5 || height < 43.5) say(`${Math.round(width)} x ${Math.round(height)}`, node);
    }
  }
  return found;
}, isTouched);

const open = async (options) => {
  const page = await browser.newPage({ locale: "en-GB", reducedMotion: "reduce", ...options });
  page.setDefaultTimeout(60_000);
  await page.goto(host.url);
  await page.waitForSelector("body[data-ready]");
  await read(page, GAME);
  return page;
};

/** Changes the language, as the field does. */
const speak = async (page, language) => {
  await page.evaluate((language) => {
    const field = document.querySelector("#language");
    field.value = language;
    field.dispatchEvent(new Event("change"));
  }, language);
  await page.waitForFunction((language) => document.documentElement.lang === language, language);
};

const languages = (page) => page.evaluate(() => [...document.querySelectorAll("#language option")].map(({ value }) => value));

/** Resizes the page to each width, and collects what is wrong there: each fault with its places. */
const measure = async (page, found, name, sizes = SIZES, isTouched = false) => {
  for (const [width, height] of Object.entries(sizes)) {
    await page.setViewportSize({ width: Number(width), height });
    for (const fault of await faults(page, isTouched)) (found[fault] ??= []).push(`${name} ${width}`);
  }
};

test("nothing is wrapped, cut off or covered in any language at any width", { timeout: 300_000 }, async () => {
  const page = await open({ viewport: { width: 1280, height: 800 } });
  const found = {};
  for (const view of VIEWS) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await show(page, view);
    for (const language of await languages(page)) {
      await speak(page, language);
      await measure(page, found, `${view} ${language}`);
    }
  }
  assert.deepEqual(found, {});
  await page.close();
});

test("menus and dialogs hold their words in any language", { timeout: 300_000 }, async () => {
  const page = await open({ viewport: { width: 1280, height: 800 } });
  const found = {};
  for (const name of POPS) {
    await show(page, name === "play-menu" ? "play" : "analysis");
    for (const [width, height] of Object.entries({ 320: 640, 1280: 800 })) {
      await page.setViewportSize({ width: Number(width), height });
      await within(page, name, async () => {
        for (const language of await languages(page)) {
          await speak(page, language);
          await measure(page, found, `${name} ${language}`, { [width]: height });
        }
      });
    }
  }
  assert.deepEqual(found, {});
  await page.close();
});

test("a finger finds 44 pixels", { timeout: 300_000 }, async () => {
  const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true });
  const found = {};
  for (const view of VIEWS) {
    await show(page, view);
    await measure(page, found, view, { 320: 640, 390: 844, 820: 1180 }, true);
  }
  assert.deepEqual(found, {});
  await page.close();
});

test("twice the size has its place, of the page or of the letters", { timeout: 300_000 }, async () => {
  const page = await open({ viewport: { width: 1280, height: 800 } });
  const found = {};
  for (const size of ["100%", "200%"]) {
    await page.evaluate((size) => (document.documentElement.style.fontSize = size), size);
    for (const view of VIEWS) {
      await show(page, view);
      await measure(page, found, `${view} ${size}`, size === "100%" ? { 640: 400 } : { 820: 1180, 1280: 800, 1440: 900 });
    }
  }
  assert.deepEqual(found, {});
  await page.close();
});

test("a telephone shows board and lines together, upright and on its side", { timeout: 300_000 }, async () => {
  for (const viewport of [{ width: 390, height: 844 }, { width: 844, height: 390 }]) {
    const page = await open({ viewport, hasTouch: true });
    await show(page, "analysis");
    await page.click("#analyse");
    await page.waitForFunction(() => document.querySelectorAll("#variations li b").length === 3);
    const boxes = await Promise.all(["#frame .board", "#variations"].map((part) => page.locator(part).boundingBox()));
    for (const { y, height } of boxes) assert.ok(y >= 0 && y + height <= viewport.height, JSON.stringify(boxes));
    assert.ok(boxes[0].width > 350, JSON.stringify(boxes));
    // Nothing lies over the last line.
    const [, { x, y, width, height }] = boxes;
    assert.ok(await page.evaluate(([x, y]) => Boolean(document.elementFromPoint(x, y).closest("#variations")), [x + width / 2, y + height - 4]));
    await page.close();
  }
});

test("a finger on the board scrolls the page, unless it moves a piece", { timeout: 300_000 }, async () => {
  const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await show(page, "analysis");
  await page.evaluate(() => document.body.append(Object.assign(document.createElement("p"), { style: "height: 2000px" })));
  const session = await page.context().newCDPSession(page);
  const scrolled = async (square) => {
    await page.evaluate(() => scrollTo(0, 0));
    const { x, y, width, height } = await page.locator(`.cell[data-square="${square}"]`).boundingBox();
    const touch = (type, way) =>
      session.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: x + width / 2, y: y + height / 2 - way }] });
    await touch("touchStart", 0);
    for (let way = 10; way <= 120; way += 10) await touch("touchMove", way);
    await touch("touchEnd", 120);
    // The page scrolls in later frames, or not at all.
    return page.waitForFunction(() => scrollY > 60, null, { timeout: 3000 }).then(() => true, () => false);
  };
  await page.waitForSelector(".cell.movable");
  const free = await page.locator(".cell:not(.movable)").first().getAttribute("data-square");
  const movable = await page.locator(".cell.movable").first().getAttribute("data-square");
  assert.equal(await scrolled(free), true);
  assert.equal(await scrolled(movable), false);
  await page.close();
});
