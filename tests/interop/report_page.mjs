// Clicks through the page of a match in a browser without a screen (jsdom) and checks what it
// shows.
//
//     npm install --prefix DIR jsdom@26
//     NODE_PATH=DIR/node_modules node tests/interop/report_page.mjs target/release/meerslag

import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { JSDOM, VirtualConsole } = createRequire(import.meta.url)("jsdom");

const page = join(mkdtempSync(join(tmpdir(), "page-")), "report.html");
execFileSync(process.argv[2], [
  "match", "--engine=builtin name=one param.hash-mb=1", "--engine=random name=two</script>",
  "--engine=random name=three", "--tc=nodes=200", "--pairs=2", "--concurrency=2", "--html", page,
]);
const problems = [];
const virtualConsole = new VirtualConsole();
virtualConsole.on("jsdomError", (error) => problems.push(error));
const open = (address) =>
  new JSDOM(readFileSync(page, "utf8"), { url: address, runScripts: "dangerously", virtualConsole });
const { window } = open("https://example.org/report.html");
const { document } = window;
assert.deepEqual(problems, []);

const board = () => {
  assert.equal(document.querySelectorAll("#board rect.square").length, 50);
  return document.querySelectorAll("#board .pieces use").length;
};
const click = (id) => document.getElementById(id).click();
const info = () => document.getElementById("info").textContent;
const rows = [...document.querySelectorAll("#games tr[data-game]")];
assert.equal(rows.length, 12);
assert.ok(rows.some((row) => row.cells[1].textContent === "two</script>"));
assert.ok(document.getElementById("viewer").hidden);
for (const row of rows) {
  row.click();
  assert.ok(!document.getElementById("viewer").hidden);
  assert.equal(board(), 40);
  assert.equal(info(), "start position");
  const moves = [...document.querySelectorAll("#moves span")];
  assert.equal(Math.ceil(moves.length / 2), Number(row.cells[4].textContent));
  let pieces = 40;
  for (const move of moves) {
    click("forward");
    const now = board();
    // Captures take pieces off, and nothing else does.
    assert.equal(now < pieces, move.textContent.includes("x"), move.textContent);
    pieces = now;
    assert.ok(move.classList.contains("now"));
    assert.ok(info().includes(" s"), info());
  }
  click("back");
  assert.ok(board() >= pieces);
  click("last");
  assert.equal(board(), pieces);
  click("flip");
  assert.equal(board(), pieces);
  moves[3].click();
  assert.ok(moves[3].classList.contains("now"));
  document.dispatchEvent(new window.KeyboardEvent("keydown", { key: "Home" }));
  assert.equal(info(), "start position");
}
// The board has clocks and a curve, and its position can be copied.
const text = (id) => document.getElementById(id).textContent;
rows[0].click();
click("last");
assert.match(text("upper"), /  (used )?\d+:\d\d\.\d$/);
assert.match(text("lower"), /  (used )?\d+:\d\d\.\d$/);
assert.ok(document.querySelectorAll("#curve polyline").length > 0);
let copied = "";
Object.defineProperty(window.navigator, "clipboard", {
  value: { writeText: (value) => { copied = value; return Promise.resolve(); } },
});
click("first");
click("copy-fen");
assert.match(copied, /^[WB]:W[\d,]+:B[\d,]+$/);
click("copy-pdn");
assert.ok(copied.startsWith("[Event ") && copied.includes("[White "), copied);
click("forward");
click("copy-link");
const number = rows[0].cells[0].textContent;
assert.ok(copied.endsWith(`#game=${number}&ply=1`), copied);
// A link leads to its game and ply.
const linked = open(`https://example.org/report.html#game=${number}&ply=3`).window.document;
assert.ok(!linked.getElementById("viewer").hidden);
assert.ok(linked.querySelectorAll("#moves span")[2].classList.contains("now"));
// Only games of one player; then in the order of their lengths.
const player = document.getElementById("by-player");
player.value = "one";
player.dispatchEvent(new window.Event("input"));
assert.equal(rows.filter((row) => !row.hidden).length, 8);
assert.equal(text("count"), "8 of 12 games");
document.querySelectorAll("#games th")[4].click();
const lengths = [...document.querySelectorAll("#games tr[data-game]")].map((row) => Number(row.cells[4].textContent));
assert.deepEqual(lengths, [...lengths].sort((a, b) => a - b));
assert.deepEqual(problems, []);
console.log(`${rows.length} games clicked through`);
