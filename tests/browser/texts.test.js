// The texts of the pages: all that are used, in every language.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

const web = new URL("../../engine/web/", import.meta.url);

/** The texts of each language, by key. @type {Record<string, Record<string, string>>} */
const texts = {};
for (const name of await readdir(new URL("texts/", web))) {
  texts[name.replace(".json", "")] = JSON.parse(await readFile(new URL("texts/" + name, web), "utf8"));
}

const sources = async () => {
  const files = await readdir(web, { recursive: true });
  const names = files.filter((name) => /\.(js|html)$/.test(name));
  return Promise.all(names.map((name) => readFile(new URL(name, web), "utf8")));
};

test("every text that is used is there, in all languages", async () => {
  const { LANGUAGES } = await import("../../engine/web/base/texts.js");
  assert.deepEqual(Object.keys(texts).sort(), Object.keys(LANGUAGES).sort());
  const keys = Object.keys(texts.en);
  assert.ok(keys.length > 100, String(keys.length));
  const names = (text) => [...new Set(text.match(/\{\w+/g))].sort().join();
  for (const [language, own] of Object.entries(texts)) {
    assert.deepEqual(Object.keys(own), keys, language);
    for (const key of keys) assert.equal(names(own[key]), names(texts.en[key]), `${language} ${key}: ${own[key]}`);
  }
  const used = (await sources()).flatMap((source) => [
    ...source.matchAll(/data-(?:text|label)="([^"]+)"/g), ...source.matchAll(/\bt\("([^"]+)"[,)]/g),
  ].map(([, key]) => key));
  assert.ok(used.length > 100, String(used.length));
  assert.deepEqual(used.filter((key) => !keys.includes(key)), []);
});

test("a piece has the word of players", () => {
  // `Figur` and its kind are pieces of chess.
  for (const [language, own] of Object.entries(texts)) {
    for (const [key, text] of Object.entries(own)) assert.doesNotMatch(text, /figur|фигур/i, `${language} ${key}`);
  }
});

test("numbers have their nouns in the right form", async () => {
  const { add, men, t } = await import("../../engine/web/base/texts.js");
  add(texts);
  const plural = {
    en: ["in 0 plies", "in 1 ply", "in 2 plies", "in 5 plies", "in 21 plies"],
    nl: ["in 0 halve zetten", "in 1 halve zet", "in 2 halve zetten", "in 5 halve zetten", "in 21 halve zetten"],
    fr: ["en 0 demi-coup", "en 1 demi-coup", "en 2 demi-coups", "en 5 demi-coups", "en 21 demi-coups"],
    ru: ["за 0 полуходов", "за 1 полуход", "за 2 полухода", "за 5 полуходов", "за 21 полуход"],
    de: ["in 0 Halbzügen", "in 1 Halbzug", "in 2 Halbzügen", "in 5 Halbzügen", "in 21 Halbzügen"],
    pl: ["w 0 półruchach", "w 1 półruchu", "w 2 półruchach", "w 5 półruchach", "w 21 półruchach"],
  };
  for (const [language, expected] of Object.entries(plural)) {
    t.language = language;
    assert.deepEqual([0, 1, 2, 5, 21].map((plies) => t("plies", { plies })), expected);
  }
  assert.deepEqual([0, 0.004, -0.004, 1.5, -1.5].map(men), ["0.00", "0.00", "0.00", "+1.50", "-1.50"]);
});

/** How many forms a noun has beside a number. */
const FORMS = { en: 2, nl: 2, fr: 2, ru: 3, de: 2, pl: 3, es: 2, pt: 2 };

test("a place for a number has a form for every number", () => {
  let count = 0;
  for (const [language, own] of Object.entries(texts)) {
    for (const text of Object.values(own)) {
      for (const [place] of text.matchAll(/\{\w+\|[^}]*\}/g)) {
        assert.equal(place.split("|").length - 1, FORMS[language], text);
        count++;
      }
    }
  }
  // A number that can be 1 is not followed by a fixed noun.
  for (const text of Object.values(texts.en)) assert.doesNotMatch(text, /\{\w+\} (plies|moves|games|mistakes|positions)/);
  assert.ok(count > 10, String(count));
});
