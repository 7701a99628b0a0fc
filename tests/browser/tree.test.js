// Games as trees, there and back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { after } from "../../engine/web/board/board.js";
import { Game, plain } from "../../engine/web/game/tree.js";
import { INITIAL } from "../../engine/web/game/desk.js";

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
  const written = game().write();
  assert.deepEqual(written.line, LINE);
  assert.deepEqual(written.tags, [["White", "A"]]);
});

test("counters of the start stay", () => {
  const record = { start: "W:WK31:BK20:H7:F40", tags: [], result: "*", line: { lead: [], plies: [] } };
  assert.equal(Game.read(record).write().start, record.start);
  assert.equal(Game.read(Game.read(record).keep()).write().start, record.start);
});

test("moves are numbered from the number of the start", () => {
  const numbers = (start) => {
    const line = { lead: [], plies: [ply("18-23"), ply("33-28"), ply("23-29")] };
    const game = Game.read({ start, tags: [], result: "*", line: readLine(line) });
    return game.root.line().slice(1).map((node) => node.number);
  };
  assert.deepEqual(numbers("B:W33:B18:H3:F55"), ["55...", "56.", "56..."]);
  assert.deepEqual(numbers("B:W33:B18"), ["1...", "2.", "2..."]);
});

test("the text of a result stays until another result is set", () => {
  const record = { start: "W:W31-50:B1-20", tags: [["Result", "12-8"]], result: "2-0", line: { lead: [], plies: [] } };
  const game = Game.read(record);
  assert.deepEqual(game.write().tags, [["Result", "12-8"]]);
  const { content } = game;
  game.decide("*");
  assert.deepEqual([game.write().tags, game.write().result], [[], "*"]);
  game.content = content;
  assert.deepEqual([game.write().tags, game.write().result], [[["Result", "12-8"]], "2-0"]);
});

test("the clocks of moves are kept", () => {
  const line = { lead: [], plies: [{ ...ply("32-28"), clock: 597 }, ply("19-23")] };
  const game = Game.read({ start: "W:W31-50:B1-20", tags: [], result: "*", line: readLine(line) });
  const clocks = (game) => game.root.line().map(({ clock }) => clock);
  assert.deepEqual(clocks(game), [null, 597, null]);
  assert.deepEqual(clocks(Game.read(game.keep())), [null, 597, null]);
});

test("what the page keeps itself comes back, positions and all", () => {
  const game = new Game(INITIAL, { tags: [["White", "A"]], task: { kind: "lesson", side: "W", goal: "win", mistakes: 0 } });
  const first = game.root.add(after(INITIAL, "32-28"), "32-28", "32-28");
  first.comment = "Good.";
  const main = first.add(after(first.position, "19-23"), "19-23", "19-23");
  first.add(after(first.position, "18-23"), "18-23", "18-23").score = -0.3;
  main.add(after(main.position, "28x19x23"), "28x19x23", "28x19");
  const kept = Game.read(JSON.parse(JSON.stringify(game.keep())));
  assert.deepEqual(kept.keep(), game.keep());
  assert.equal(kept.task?.side, "W");
  const positions = (game) => game.content.nodes.map(([node]) => [node.position, node.text, node.score]);
  assert.deepEqual(positions(kept), positions(game));
});

test("what was edited is put back, in a game of any length", () => {
  const game = new Game(INITIAL);
  let last = game.root;
  for (let ply = 0; ply < 20_000; ply++) last = last.add(INITIAL, "32-28", "32-28");
  const { content } = game;
  const [first] = game.root.children;
  first.comment = "Gone.";
  first.children[0].remove();
  game.tags.set("White", "B");
  game.content = content;
  assert.equal(first.comment, "");
  assert.equal(first.children.length, 1);
  assert.equal(game.tags.size, 0);
  assert.equal(game.content.nodes.length, 20_001);
});

test("variations are found, promoted and removed", () => {
  const { root } = game();
  const [first] = root.children;
  assert.deepEqual(first.children.map(({ move }) => move), ["19-23", "18-23", "20-25"]);
  assert.equal(first.children[0].number, "1...");
  assert.equal(root.line().at(-1).number, "2.");
  const [, variation] = first.children;
  const last = variation.line().at(-1);
  assert.notEqual(last, variation);
  assert.ok(last.variation);
  last.promote();
  assert.ok(!last.variation);
  last.promote();
  assert.equal(first.children[0], variation);
  variation.remove();
  assert.deepEqual(first.children.map(({ move }) => move), ["19-23", "20-25"]);
  assert.deepEqual(first.children[0].query, { fen: root.position, moves: "32-28 19-23" });
});

test("paragraphs of a comment stay", () => {
  const first = game().root.children[0];
  first.comment = " One\ntwo  three \n \n\n{four}\n";
  assert.equal(first.comment, "One two three\n\n(four)");
});

test("commands of programs stay when a comment is edited", () => {
  const [first] = game().root.children;
  assert.equal(first.comment, "Good.");
  first.comment = "Better {nothing}.";
  assert.deepEqual(first.comments, ["[%eval 0.1] Better (nothing)."]);
  first.comment = "";
  assert.equal(plain(first.comments[0]), "");
});

test("the initial position is that of the rules", () => {
  assert.equal(INITIAL.length, 51);
  assert.equal(Game.read({ start: "W:W31-50:B1-20", tags: [], line: { lead: [], plies: [] } }).root.position, INITIAL);
});
