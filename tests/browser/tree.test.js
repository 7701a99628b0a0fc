// Games as trees, there and back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Game, plain } from "../../engine/web/tree.js";
import { INITIAL } from "../../engine/web/desk.js";

const ply = (move, after = [], nags = []) => ({ move, nags, after });
const read = (ply) => ({ text: ply.move, fen: "B:W28:B1", ...ply, after: ply.after.map(readAnnotation) });
const readAnnotation = (one) => (one.variation ? { variation: readLine(one.variation) } : one);
const readLine = ({ lead, plies }) => ({ lead, plies: plies.map(read) });

const LINE = {
  lead: [{ comment: "Before." }],
  plies: [
    ply("32-28", [{ comment: "[%eval 0.1] Good." }]),
    ply("19-23", [
      { variation: { lead: [{ comment: "Or" }], plies: [ply("18-23"), ply("37-32")] } },
      { variation: { lead: [], plies: [ply("20-25")] } },
    ], [1]),
    ply("28x19x23"),
  ],
};

const game = () => Game.read({ start: "W:W31-50:B1-20", tags: [["White", "A"]], result: "*", line: readLine(LINE) });

test("a record comes back as it was", () => {
  const written = game().write("W:W31-50:B1-20");
  assert.deepEqual(written.line, LINE);
  assert.deepEqual(written.tags, [["White", "A"]]);
});

test("variations are found, promoted and removed", () => {
  const { root } = game();
  const [first] = root.children;
  assert.deepEqual(first.children.map(({ move }) => move), ["19-23", "18-23", "20-25"]);
  assert.equal(first.children[0].number, "1...");
  assert.equal(root.line().at(-1).number, "2.");
  const [, variation] = first.children;
  assert.equal(variation.isMain, false);
  variation.promote();
  assert.equal(variation.children[0].isMain, true);
  variation.remove();
  assert.deepEqual(first.children.map(({ move }) => move), ["19-23", "20-25"]);
  assert.deepEqual(first.children[0].query, { fen: root.position, moves: "32-28 19-23" });
});

test("commands of programs stay when a comment is edited", () => {
  const [first] = game().root.children;
  assert.equal(first.comment, "Good.");
  first.comment = "Better {nothing}.";
  assert.deepEqual(first.comments, ["[%eval 0.1] Better nothing."]);
  first.comment = "";
  assert.equal(plain(first.comments[0]), "");
});

test("the initial position is that of the rules", () => {
  assert.equal(INITIAL.length, 51);
  assert.equal(Game.read({ start: "W:W31-50:B1-20", tags: [], line: { lead: [], plies: [] } }).root.position, INITIAL);
});
