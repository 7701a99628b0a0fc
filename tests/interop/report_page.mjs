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
const { window } = new JSDOM(readFileSync(page, "utf8"), { runScripts: "dangerously", virtualConsole });
const { document } = window;
assert.deepEqual(problems, []);

const board = () => {
  const squares = [...document.querySelectorAll("#board rect")].slice(1);
  assert.equal(squares.length, 50);
  return document.getElementById("board").querySelectorAll(".white, .black").length;
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
assert.deepEqual(problems, []);
console.log(`${rows.length} games clicked through`);
