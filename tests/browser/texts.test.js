// The table of texts: all that the page asks for is there, in every language.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

const web = new URL("../../engine/web/", import.meta.url);

const sources = async () => {
  const names = (await readdir(web)).filter((name) => /\.(js|html)$/.test(name) && name !== "texts.js");
  return Promise.all(names.map((name) => readFile(new URL(name, web), "utf8")));
};

test("every text that is used stands in the table, with four columns", async () => {
  const table = await readFile(new URL("texts.js", web), "utf8");
  const rows = [...table.matchAll(/^ {2}"?([\w.-]+)"?: \[([\s\S]*?)\],$/gm)];
  const keys = new Set(rows.map(([, key]) => key));
  assert.ok(keys.size > 100, String(keys.size));
  for (const [, key, columns] of rows) {
    const texts = columns.match(/"(?:[^"\\]|\\.)*"/g);
    assert.equal(texts.length, 4, key);
    const names = (text) => (text.match(/\{\w+\}/g) ?? []).sort().join();
    for (const text of texts) assert.equal(names(text), names(texts[0]), `${key}: ${text}`);
  }
  const used = (await sources()).flatMap((source) => [
    ...source.matchAll(/data-(?:text|label)="([^"]+)"/g), ...source.matchAll(/\bt\("([^"]+)"[,)]/g),
  ].map(([, key]) => key));
  assert.ok(used.length > 100, String(used.length));
  assert.deepEqual(used.filter((key) => !keys.has(key)), []);
});
