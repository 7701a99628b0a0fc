// A page as a person reads it.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** Forbidden in all texts of a page: a missing value, or an unfilled place. */
const FAULT = /\bundefined\b|\bNaN\b|\bnull\b|\bInfinity\b|\[object|\{\w+(\|[^}]*)?\}|%[sd]\b/;

/** All texts that can be read on a page, or heard from a screen reader. */
const texts = (page) =>
  page.evaluate(() => {
    const found = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
      const isShown = element.checkVisibility() && !element.closest("script, style, textarea");
      // The options of a closed list and the titles of drawings are not drawn, but read out.
      const isRead = element.closest("option, title")?.parentElement.closest("select, svg")?.checkVisibility();
      if (!isShown && !isRead) continue;
      if (node.nodeType === Node.TEXT_NODE) found.push(node.data);
      else {
        const names = ["aria-label", "aria-valuetext", "title", "placeholder", "alt"];
        found.push(...names.map((name) => element.getAttribute(name) ?? ""));
        if (element.matches("input:not([type=radio], [type=checkbox])")) found.push(element.value);
      }
    }
    return found.map((text) => text.trim()).filter(Boolean);
  });

/** The texts of a page with a fault of the program, each once. */
export const faults = async (page) =>
  [...new Set((await texts(page)).filter((text) => FAULT.test(text)))];

const axe = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Obstacles for the users of a page: each broken rule, with the places. */
export const barriers = async (page) => {
  await page.evaluate(await axe);
  // Colours that are still changing would be measured on their way.
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
  const { violations } = await page.evaluate(() => axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 90)).join("; ")}`);
};
