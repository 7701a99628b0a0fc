// The games of a report: a list to choose from, and one game at a time on the board, with its moves, the curve
// of its scores, clocks, and the data of each move.

import { after, arrowOf, fen, short, squares } from "../board/board.js";
import { Curve } from "../game/curve.js";
import { iconButton, make, save, shape } from "../base/dom.js";
import { Grid } from "../board/grid.js";
import { MoveList, signOf } from "../game/movelist.js";
import { table } from "./table.js";
import { men, t } from "../base/texts.js";
import { Game, firstNumber } from "../game/tree.js";

/**
 * A game of a report; short names, because there are many of them. p: the position at the start, s: later
 * set-up positions with the number of moves before each, m: moves, i: White's score, depth, seconds used and
 * left for each, d: the PDN, n: a judgement on each move, b: the best move of the last position. Positions and
 * moves are in Hub notation.
 * @typedef {{ p: string, s?: [number, string][], m: string[], i: [number | null, number | null, number, number | null][],
 *   d: string, n?: Note[], b?: [number, number] }} GameData
 */
/**
 * A judgement on a move. g: the glyph of a bad one, b: the best move instead, c: White's share of the points
 * after it, a: the mover's share before and after, r: a better move, e: the databases' value, f: the best
 * move's, if it differs.
 * @typedef {{ g?: number, b?: [number, number], c: number, a: [number, number], r?: string, e?: Known, f?: Known }} Note
 */
/** A value of the databases: win, draw or loss, in how many plies; or in how many to the next conversion.
 * @typedef {{ v: string, p?: number, q?: number }} Known */
/** The entry of a game in the list. @typedef {{ number: number, white: string, black: string, result: string }} Head */
/** A column of the list. @typedef {{ name: string, text: (head: any) => string, isText?: boolean }} Column */

/** The grades by the glyphs of bad moves. */
export const GRADES = { 6: "inaccuracy", 2: "mistake", 4: "blunder" };

/** A share as text. */
export const percent = (share) => Math.round(100 * share);

/** The number of the first move of a game. @param {GameData} data */
export const firstOf = ({ d }) => firstNumber(d.match(/^\[FEN "([^"]*)"/m)?.[1] ?? "");

/** The tree of a game. @param {GameData} data */
const read = (data) => {
  const { p, s = [], m, i, n } = data;
  const setUps = new Map(s);
  const game = new Game(setUps.get(0) ?? p);
  game.root.first = firstOf(data);
  let node = game.root;
  for (const [index, move] of m.entries()) {
    node = node.add(setUps.get(index + 1) ?? after(node.position, move), move, short(move));
    [node.score] = i[index];
    node.grade = GRADES[n?.[index].g];
  }
  return game;
};

/** A value of the databases in words. @param {Known} known */
const valueText = ({ v, p, q }) => {
  const name = t("value." + v);
  if (p) return name + " " + t("plies", { plies: p });
  return q ? name + ", " + t("conversionIn", { plies: q }) : name;
};

/** The remark on a judged move; often none. @param {Note} note */
const remark = ({ g, a, r, e, f }) => {
  const parts = [];
  if (e) parts.push(t("databasesSay", { value: valueText(e) }) + (f ? "; " + t("bestValue", { value: valueText(f) }) : "") + ".");
  if (r) {
    const shares = t("gaveAway", { before: percent(a[0]), after: percent(a[1]) });
    parts.push(t("grade." + GRADES[g]) + ": " + shares + "; " + t("betterMove", { move: r }) + ".");
  }
  return parts.join(" ");
};

/** The columns that all lists begin with. @returns {Column[]} */
export const heads = () => [
  { name: t("game"), text: (row) => String(row.number) },
  { name: t("side.W"), text: (row) => row.white, isText: true },
  { name: t("side.B"), text: (row) => row.black, isText: true },
  { name: t("resultLabel"), text: (row) => row.result },
  { name: t("movesCount"), text: (row) => String(row.moves) },
];

export class Reader {
  /**
   * @param {GameData[]} games
   * @param {Head[]} heads
   * @param {Column[]} columns the last one is searchable.
   */
  constructor(games, heads, columns) {
    this.games = games;
    this.heads = heads;
    this.columns = columns;
    this.flipped = false;
    /** The game on the board. @type {GameData | null} */
    this.data = null;
    /** @type {Head | null} */
    this.head = null;
    /** The place of the game on the board in the list. @type {number | null} */
    this.place = null;
    this.element = make("div", {}, this.viewer(), this.filter(), this.list());
    this.select();
  }

  /** The board and everything around it. */
  viewer() {
    const button = (id, text, click, label = "") =>
      make("button", { type: "button", class: "btn", id, click, "aria-label": label || false, title: label || false }, text);
    this.title = make("h3", { id: "players" });
    this.upper = make("p", { class: "time", id: "upper" });
    this.lower = make("p", { class: "time", id: "lower" });
    this.frame = make("div", { id: "frame" });
    this.info = make("p", { id: "info", role: "status" });
    this.curveFrame = make("div", {});
    this.said = make("span", { id: "copied", role: "status" });
    const step = (id, click) => iconButton(id, t(id), { id, click });
    this.first = step("first", () => this.go(this.game.root));
    this.back = step("back", () => this.go(this.node.parent));
    this.forward = step("forward", () => this.go(this.node.children[0]));
    this.last = step("last", () => this.go(this.node.line().at(-1)));
    const turn = step("flip", () => this.turn());
    const moves = make("div", { id: "moves", class: "moves", role: "group", "aria-label": t("moves"), tabindex: "0" });
    this.moves = new MoveList(moves, (node) => this.go(node));
    const curve = /** @type {SVGSVGElement} */ (shape("svg", { id: "curve", class: "graph", role: "img", viewBox: "0 0 300 80", preserveAspectRatio: "none" }));
    this.curve = new Curve(curve, (node) => this.go(node), (ply) => GRADES[this.data.n?.[ply - 1]?.g]);
    this.grid = new Grid(this.frame, {});
    this.grid.grid.setAttribute("aria-readonly", "true");
    this.board = make("section", { id: "viewer", class: "card", "aria-labelledby": "players", hidden: true },
      make("header", { class: "head" }, this.title),
      make("div", { id: "columns" },
        make("div", { id: "left" }, this.upper, this.frame, this.lower),
        make("div", { id: "right" },
          moves, this.info, make("div", { class: "graphbox" }, curve),
          make("div", { class: "tools", id: "steps", role: "group", "aria-label": t("steps") },
            this.first, this.back, this.forward, this.last, turn),
          make("div", { class: "row wrapped", id: "texts" },
            button("copy-fen", t("copyFen"), () => this.copy(fen(this.node.position), "FEN")),
            button("copy-pdn", t("copyPdn"), () => this.copy(this.data.d, "PDN")),
            button("save-pdn", t("savePdn"), () => save(`game${this.head.number}.pdn`, "application/vnd.chess-pdn", this.data.d)),
            button("copy-link", t("copyLink"), () => this.copy(location.href, t("link"))),
            this.said),
          make("p", { class: "soft small", id: "keys" }, t("readerKeys")))));
    return this.board;
  }

  /** Fields for choosing games. */
  filter() {
    const options = (values) => [make("option", { value: "" }), ...[...new Set(values)].map((value) => make("option", {}, value))];
    const change = () => this.select();
    this.player = make("select", { class: "input", id: "by-player", input: change },
      ...options(this.heads.flatMap(({ white, black }) => [white, black])));
    this.result = make("select", { class: "input", id: "by-result", input: change },
      ...options(this.heads.map(({ result }) => result).sort()));
    this.end = make("input", { class: "input", id: "by-end", type: "search", input: change });
    this.count = make("span", { id: "count", class: "soft small", role: "status" });
    return make("div", { class: "row wrapped", id: "filter" },
      make("label", {}, t("player"), " ", this.player),
      make("label", {}, t("resultLabel"), " ", this.result),
      make("label", {}, this.columns.at(-1).name, " ", this.end),
      this.count);
  }

  /** The list of games. */
  list() {
    const rows = this.heads.map((head) => this.columns.map(({ text }, column) => {
      const content = text(head);
      if (column > 0) return content;
      return make("button", { type: "button", class: "open sort", "aria-label": t("openGame", { number: head.number }) }, content);
    }));
    const list = table("games", t("gamesList"), this.columns, rows);
    this.rows = [...list.querySelectorAll("tbody tr")].map((row, place) => {
      /** @type {HTMLElement} */ (row).dataset.game = String(place);
      row.addEventListener("click", () => this.open(place));
      return /** @type {HTMLTableRowElement} */ (row);
    });
    this.body = list.querySelector("tbody");
    for (const [column, head] of [...list.querySelectorAll("th")].entries()) {
      const name = head.textContent;
      head.replaceChildren(make("button", { type: "button", class: "sort", click: () => this.sort(column, head) }, name));
    }
    return list;
  }

  /** Shows only the rows that match the filter. */
  select() {
    const [player, result] = [this.player.value, this.result.value];
    const end = this.end.value.toLowerCase();
    let shown = 0;
    for (const [place, row] of this.rows.entries()) {
      const head = this.heads[place];
      row.hidden = (player !== "" && head.white !== player && head.black !== player)
        || (result !== "" && head.result !== result)
        || !row.cells[row.cells.length - 1].textContent.toLowerCase().includes(end);
      if (!row.hidden) shown += 1;
    }
    this.count.textContent = t("shownOf", { shown, games: this.rows.length });
  }

  /** Sorts by a column; a second time in the other direction. */
  sort(column, head) {
    const isDown = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    const text = (row) => row.cells[column].textContent;
    const compare = (a, b) => {
      const [one, other] = [text(a), text(b)];
      const numbers = [Number(one), Number(other)];
      return numbers.some(Number.isNaN) ? one.localeCompare(other) : numbers[0] - numbers[1];
    };
    const sign = isDown ? -1 : 1;
    this.body.append(...[...this.rows].sort((a, b) => sign * compare(a, b)));
  }

  /** Puts a game on the board. */
  open(place, ply = 0, isWanted = true) {
    this.place = place;
    [this.data, this.head] = [this.games[place], this.heads[place]];
    this.game = read(this.data);
    for (const [index, row] of this.rows.entries()) row.classList.toggle("shown", index === place);
    const { number, white, black, result } = this.head;
    const end = this.columns.at(-1).text(this.head);
    this.title.textContent = `${t("gameTitle", { number })}: ${white} – ${black}  ${result}${end ? ` (${end})` : ""}`;
    this.board.hidden = false;
    const line = this.game.root.line();
    this.go(line[Math.min(ply, line.length - 1)]);
    if (isWanted) this.board.scrollIntoView();
  }

  /** The game and ply in the address. */
  follow(isWanted = true) {
    const [, number, ply = "0"] = location.hash.match(/^#game=(\d+)(?:&ply=(\d+))?$/) ?? [];
    const place = this.heads.findIndex((head) => String(head.number) === number);
    if (place >= 0) this.open(place, Number(ply), isWanted);
  }

  /** Shows another position of the game. @param {import("../game/tree.js").Node | null | undefined} node */
  go(node) {
    if (!node) return;
    const before = this.node;
    this.node = node;
    this.said.textContent = "";
    this.draw();
    if (before && node.parent === before) this.grid.motion.forward(before.position, node.move);
    else if (before && before.parent === node) this.grid.motion.back(before.move);
    // The address leads here again, without a new step in the history.
    try {
      history.replaceState(null, "", `#game=${this.head.number}&ply=${this.ply}`);
    } catch {
      // Some browsers refuse it for local files.
    }
  }

  /** How many moves are played. */
  get ply() {
    return this.node.path().length - 1;
  }

  turn() {
    this.flipped = !this.flipped;
    this.draw();
  }

  /** Keys pressed anywhere on the page. @param {KeyboardEvent} event */
  key(event) {
    if (this.place === null || event.ctrlKey || event.altKey || event.metaKey) return;
    const { node } = this;
    const steps = { ArrowLeft: node.parent, ArrowRight: node.children[0], Home: this.game.root, End: node.line().at(-1) };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.go(steps[event.key]);
  }

  /** In an annotated game: the best move from here, and the played one if it was bad. */
  get arrows() {
    const { n, b } = this.data;
    if (!n) return [];
    const note = n[this.ply];
    const best = note ? note.b : b;
    const list = best ? [{ from: best[0], to: best[1], kind: "best" }] : [];
    return note?.g ? [...list, arrowOf(this.data.m[this.ply], "threat")] : list;
  }

  draw() {
    const { node, flipped } = this;
    this.grid.show({
      position: node.position, flipped, arrows: this.arrows,
      last: node.move ? squares(node.move).slice(0, 2) : null,
    });
    [this.upper.textContent, this.lower.textContent] = [this.time(flipped ? "W" : "B"), this.time(flipped ? "B" : "W")];
    this.moves.draw(this.game, node);
    this.curve.draw(node, !this.data.n);
    this.info.textContent = node.move ? this.about(this.ply - 1) : t("startPosition");
    this.first.disabled = this.back.disabled = !node.parent;
    this.forward.disabled = this.last.disabled = node.children.length === 0;
  }

  /** The clock of a side: the time left after its last move, or else the time used so far. */
  time(side) {
    let left = null;
    let used = 0;
    for (const [index, one] of this.node.path().slice(1).entries()) {
      if (one.parent.position[0] !== side) continue;
      const info = this.data.i[index];
      used += info[2];
      [, , , left] = info;
    }
    const seconds = Math.abs(left ?? used);
    const text = Math.floor(seconds / 60) + ":" + (seconds % 60).toFixed(1).padStart(4, "0");
    const name = side === "W" ? this.head.white : this.head.black;
    return name + "  " + (left === null ? t("usedTime", { time: text }) : (left < 0 ? "-" : "") + text);
  }

  /** The data about a move. */
  about(index) {
    const [score, depth, seconds, left] = this.data.i[index];
    const note = this.data.n?.[index];
    const { text, grade } = this.node;
    const parts = [text + signOf(grade)];
    if (score !== null) parts.push(t("scoreOfWhite", { score: men(score) }));
    if (depth !== null) parts.push(t("depthIs", { depth }));
    if (!note || seconds > 0) parts.push(t("seconds", { seconds: seconds.toFixed(3) }));
    if (left !== null) parts.push(t("clockHas", { seconds: left.toFixed(1) }));
    if (!note) return parts.join(", ");
    parts.push(t("shareOfWhite", { share: percent(note.c) }));
    const more = remark(note);
    return parts.join(", ") + (more && ". " + more);
  }

  copy(text, what) {
    const done = () => (this.said.textContent = t("copied", { text: what }));
    // Without access to the clipboard, as in local files in some browsers, by selection.
    const select = () => {
      const area = make("textarea", {});
      area.value = text;
      document.body.append(area);
      area.select();
      const isCopied = document.execCommand?.("copy");
      area.remove();
      if (isCopied) done();
      else this.said.textContent = text;
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, select);
    else select();
  }
}
