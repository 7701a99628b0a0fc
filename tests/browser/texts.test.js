// The table of texts: it has every text of the page, in every language.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

const web = new URL("../../engine/web/", import.meta.url);

/** The modules that have texts. */
const TABLES = ["base/texts.js", "tournament/tournament-texts.js", "report/report-texts.js"];

/** The rows of all tables. */
const tables = async () => {
  const texts = await Promise.all(TABLES.map((name) => readFile(new URL(name, web), "utf8")));
  return texts.join("\n");
};

const sources = async () => {
  const files = await readdir(web, { recursive: true });
  const names = files.filter((name) => /\.(js|html)$/.test(name) && !TABLES.includes(name));
  return Promise.all(names.map((name) => readFile(new URL(name, web), "utf8")));
};

test("every text that is used stands in the table, with six columns", async () => {
  const table = await tables();
  const rows = [...table.matchAll(/^ {2}"?([\w.-]+)"?: \[([\s\S]*?)\],$/gm)];
  const keys = new Set(rows.map(([, key]) => key));
  assert.equal(keys.size, rows.length, "a text stands in a table twice");
  assert.ok(keys.size > 100, String(keys.size));
  for (const [, key, columns] of rows) {
    const texts = columns.match(/"(?:[^"\\]|\\.)*"/g);
    assert.equal(texts.length, 6, key);
    const names = (text) => (text.match(/\{\w+\}/g) ?? []).sort().join();
    for (const text of texts) assert.equal(names(text), names(texts[0]), `${key}: ${text}`);
  }
  const used = (await sources()).flatMap((source) => [
    ...source.matchAll(/data-(?:text|label)="([^"]+)"/g), ...source.matchAll(/\bt\("([^"]+)"[,)]/g),
  ].map(([, key]) => key));
  assert.ok(used.length > 100, String(used.length));
  assert.deepEqual(used.filter((key) => !keys.has(key)), []);
});

test("numbers have their nouns in the right form", async () => {
  globalThis.navigator ??= { languages: ["en"] };
  const { men, t } = await import("../../engine/web/base/texts.js");
  const texts = {
    en: ["in 0 plies", "in 1 ply", "in 2 plies", "in 5 plies", "in 21 plies"],
    nl: ["in 0 halve zetten", "in 1 halve zet", "in 2 halve zetten", "in 5 halve zetten", "in 21 halve zetten"],
    fr: ["en 0 demi-coup", "en 1 demi-coup", "en 2 demi-coups", "en 5 demi-coups", "en 21 demi-coups"],
    ru: ["за 0 полуходов", "за 1 полуход", "за 2 полухода", "за 5 полуходов", "за 21 полуход"],
    de: ["in 0 Halbzügen", "in 1 Halbzug", "in 2 Halbzügen", "in 5 Halbzügen", "in 21 Halbzügen"],
    pl: ["w 0 półruchach", "w 1 półruchu", "w 2 półruchach", "w 5 półruchach", "w 21 półruchach"],
  };
  for (const [language, expected] of Object.entries(texts)) {
    t.language = language;
    assert.deepEqual([0, 1, 2, 5, 21].map((plies) => t("plies", { plies })), expected);
  }
  assert.deepEqual([0, 0.004, -0.004, 1.5, -1.5].map(men), ["0.00", "0.00", "0.00", "+1.50", "-1.50"]);
});

test("a place for a number has a form for every number", async () => {
  const table = await tables();
  const forms = { en: 2, nl: 2, fr: 2, ru: 3, de: 2, pl: 3 };
  let count = 0;
  for (const [, columns] of table.matchAll(/^ {2}"?[\w.-]+"?: \[([\s\S]*?)\],$/gm)) {
    const texts = columns.match(/"(?:[^"\\]|\\.)*"/g);
    for (const [index, number] of Object.values(forms).entries()) {
      for (const [place] of texts[index].matchAll(/\{\w+\|[^}]*\}/g)) {
        assert.equal(place.split("|").length - 1, number, texts[index]);
        count++;
      }
    }
    // A number that can be 1 is not followed by a fixed noun.
    assert.doesNotMatch(texts[0], /\{\w+\} (plies|moves|games|mistakes|positions)/);
  }
  assert.ok(count > 10, String(count));
});
