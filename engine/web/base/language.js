// The language of a page: chosen by its user, its texts fetched when it is first used.

import { all } from "./dom.js";
import { keep, kept } from "./kept.js";
import { add, isLoaded, LANGUAGES, t } from "./texts.js";

const KEPT = "language";

/** Fills each element that names a text. */
export const translate = () => {
  document.documentElement.lang = t.language;
  for (const node of all("[data-text]")) node.textContent = t(node.dataset.text);
  for (const node of all("[data-label]")) {
    node.setAttribute("aria-label", t(node.dataset.label));
    if (node.localName === "button") node.title = t(node.dataset.label);
  }
  for (const node of all("[data-alt]")) node.setAttribute("alt", t(node.dataset.alt));
  for (const node of all("[data-placeholder]")) node.setAttribute("placeholder", t(node.dataset.placeholder));
};

/** From now on texts are in this language. Without its file they stay as they are, or the first ones are English. */
export const speak = async (code) => {
  try {
    if (!isLoaded(code)) add({ [code]: await (await fetch(new URL(`../texts/${code}.json`, import.meta.url))).json() });
    t.language = code;
  } catch (error) {
    if (!t.language && code === "en") throw error;
    if (!t.language) await speak("en");
  }
};

/** Changes the language of the page, and keeps the choice. */
export const setLanguage = async (code) => {
  await speak(code);
  keep(KEPT, t.language);
  translate();
};

/** The language of the user: the one chosen before, or one that the browser names. */
export const chosen = () => {
  const wanted = [kept(KEPT) ?? "", ...navigator.languages.map((language) => language.slice(0, 2))];
  return wanted.find((code) => code in LANGUAGES) ?? "en";
};
