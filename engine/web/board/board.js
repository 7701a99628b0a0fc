// A board on a page, drawn with the pieces of pieces.svg, which the page contains, and the look of
// style/board.css. Positions are the strings of the Hub protocol: the side to move (W or B), then w, b,
// W, B or e for the squares 1 to 50.

import { shape } from "../base/dom.js";

const SYMBOLS = { w: "man", W: "king", b: "man", B: "king" };
/** The width of a square; the board is 100 wide. */
const WIDTH = 10;
/** The room for the numbers around the board. */
const MARGIN = 4;

/** The position of an empty board. */
export const EMPTY = "W" + "e".repeat(50);

/** Whether a text is a position. */
export const isPosition = (text) => /^[WB][wWbBe]{50}$/.test(text);

/** The squares of a move in Hub notation: from, to, and the captured pieces. */
export const squares = (move) => move.split(/[-x]/).map(Number);

/** The arrow of a move, of one of the kinds of {@link Board.arrow}. */
export const arrowOf = (move, kind) => {
  const [from, to] = squares(move);
  return { from, to, kind };
};

/** A move for people: without the captured squares. */
export const short = (move) => squares(move).slice(0, 2).join(move.includes("x") ? "x" : "-");

/** The position after a move in Hub notation. */
export const after = (position, move) => {
  const places = [...position];
  const [from, to, ...captured] = squares(move);
  let piece = places[from];
  places[from] = "e";
  for (const square of captured) places[square] = "e";
  if (piece === "w" && to <= 5) piece = "W";
  if (piece === "b" && to > 45) piece = "B";
  places[to] = piece;
  places[0] = places[0] === "W" ? "B" : "W";
  return places.join("");
};

/** A position as FEN. */
export const fen = (position) => {
  const side = (man, king) => {
    const list = [];
    for (let square = 1; square <= 50; square++) {
      if (position[square] === man) list.push(square);
      if (position[square] === king) list.push("K" + square);
    }
    return list.join(",");
  };
  return position[0] + ":W" + side("w", "W") + ":B" + side("b", "B");
};

/** The position of a FEN with lists and ranges of squares; null if it is not a FEN. */
export const readFen = (text) => {
  const [turn, ...sides] = text.trim().replace(/\.$/, "").split(":");
  if (!/^[WB]$/.test(turn)) return null;
  const places = [turn, ...Array(50).fill("e")];
  for (const side of sides) {
    const color = side[0];
    if (/[HF+]/.test(color)) continue;
    if (color !== "W" && color !== "B") return null;
    for (const part of side.slice(1).split(",")) {
      if (part === "") continue;
      const [, king, first, last] = part.match(/^(K?)(\d{1,2})(?:-(\d{1,2}))?$/) || [];
      if (first === undefined) return null;
      const piece = king ? color : color.toLowerCase();
      for (let square = Number(first); square <= Number(last || first); square++) {
        if (square < 1 || square > 50) return null;
        places[square] = piece;
      }
    }
  }
  return places.join("");
};

/** The place of a square with White at the bottom: its upper left corner. */
const cornerOf = (square) => {
  const row = Math.floor((square - 1) / 5);
  return { x: 20 * ((square - 1) % 5) + (row % 2 ? 0 : WIDTH), y: WIDTH * row, width: WIDTH };
};

/** The dark squares: as many to the left of the middle as to the right of it, so that a turned board has the same. */
const DARK = Array.from({ length: 50 }, (_, index) => {
  const { x, y } = cornerOf(index + 1);
  return `M${x} ${y}h10v10h-10z`;
}).join("");

/** The sizes of arrows: half of the shaft, half of the head and its length. */
const ARROWS = { other: [0.55, 1.43, 1.78] };
const ARROW = [0.75, 1.95, 2.43];
/** From the middle of the piece to where an arrow begins, and from its end to the middle of the square. */
const [BEGIN, END] = [3.2, 1];

/** What a mark on a square looks like. */
const MARKS = {
  from: "ground", to: "ground", chosen: "ground", must: "sign", "one-of": "sign", not: "sign",
  target: "dot", take: "ring", win: "value", draw: "value", loss: "value",
};
/** The signs of a pattern. */
const SIGNS = { must: "!", "one-of": "?", not: "×" };

export class Board {
  constructor() {
    this.flipped = false;
    /** Whether the numbers are around the board. */
    this.isOutside = false;
    /** @type {Record<string, SVGElement>} */
    this.layers = {};
    for (const name of ["marks", "numbers", "pieces", "values", "arrows"]) this.layers[name] = shape("g", { class: name });
    this.numbers = Array.from({ length: 50 }, (_, index) => shape("text", { "data-square": index + 1 }, String(index + 1)));
    this.layers.numbers.append(...this.numbers);
    this.svg = shape("svg", { class: "board", viewBox: "0 0 100 100", role: "img" },
      shape("rect", { class: "light", width: 100, height: 100 }), shape("path", { class: "dark", d: DARK }), ...Object.values(this.layers));
    this.number();
  }

  /** The drawing of a piece, w, W, b or B, on a square. */
  piece(square, letter) {
    const { x, y } = this.place(square);
    return shape("use", { class: "piece " + letter, href: "#" + SYMBOLS[letter], x, y, width: WIDTH, height: WIDTH, "data-square": square });
  }

  /** The upper left corner and width of a square as shown now. */
  place(square) {
    return cornerOf(this.flipped ? 51 - square : square);
  }

  middle(square) {
    const { x, y } = this.place(square);
    return [x + WIDTH / 2, y + WIDTH / 2];
  }

  /**
   * Shows a position: { position, flipped, last: [from, to], marks: { square: name or list of names },
   * values: { square: text of the mark }, arrows: [{ from, to, kind }] }.
   */
  show({ position, flipped = false, last = null, marks = {}, values = {}, arrows = [] }) {
    // Pieces that stay are not drawn again: they may be sliding.
    const stays = position === this.position && flipped === this.flipped;
    this.position = position;
    if (flipped !== this.flipped) this.turn(flipped);
    const all = [...(last ? [[last[0], "from"], [last[1], "to"]] : []), ...Object.entries(marks).flatMap(([square, names]) => [names].flat().map((name) => [square, name]))];
    const grounds = all.filter(([, name]) => MARKS[name] !== "value");
    this.layers.marks.replaceChildren(...grounds.flatMap(([square, name]) => this.mark(Number(square), name)));
    if (!stays) {
      const pieces = [];
      for (let square = 1; square <= 50; square++) {
        if (position[square] in SYMBOLS) pieces.push(this.piece(square, position[square]));
      }
      this.layers.pieces.replaceChildren(...pieces);
    }
    const discs = all.filter(([, name]) => MARKS[name] === "value");
    this.layers.values.replaceChildren(...discs.map(([square, name]) => this.value(Number(square), name, values[square] ?? "")));
    this.layers.arrows.replaceChildren(...arrows.map((arrow) => this.arrow(arrow)));
  }

  mark(square, name) {
    const { x, y } = this.place(square);
    const [cx, cy] = this.middle(square);
    if (MARKS[name] === "dot") return [shape("circle", { class: name, cx, cy, r: 1.45 })];
    if (MARKS[name] === "ring") return [shape("circle", { class: name, cx, cy, r: 4.6 })];
    const ground = shape("rect", { class: name, x, y, width: WIDTH, height: WIDTH });
    const sign = SIGNS[name];
    return sign ? [ground, shape("text", { class: "sign", x: x + 8.6, y: y + 2.6 }, sign)] : [ground];
  }

  /** A disc with the value of a move: on an empty square in its middle, beside a piece in the corner. */
  value(square, name, text) {
    const isFree = this.position[square] === "e";
    const { x, y } = this.place(square);
    const [cx, cy] = isFree ? this.middle(square) : [x + 8.4, y + 1.6];
    return shape("g", { class: isFree ? "mark" : "mark small" },
      shape("circle", { class: name, cx, cy, r: isFree ? 2.5 : 1.5 }), shape("text", { x: cx, y: cy + (isFree ? 0.85 : 0.6) }, text));
  }

  arrow({ from, to, kind = "best" }) {
    const [[x1, y1], [x2, y2]] = [this.middle(from), this.middle(to)];
    const name = kind === "best" ? "arrow" : "arrow " + kind;
    if (from === to) return shape("circle", { class: name, cx: x1, cy: y1, r: 4.4 });
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [right, down] = [(x2 - x1) / length, (y2 - y1) / length];
    const [shaft, head, point] = ARROWS[kind] ?? ARROW;
    /** A point so far along the arrow, and so far beside it. */
    const at = (along, beside) => `${(x1 + along * right + beside * down).toFixed(2)} ${(y1 + along * down - beside * right).toFixed(2)}`;
    const end = length - END;
    const neck = end - point;
    const points = [at(BEGIN, -shaft), at(neck, -shaft), at(neck, -head), at(end, 0), at(neck, head), at(neck, shaft), at(BEGIN, shaft)];
    return shape("path", { class: name, d: "M" + points.join("L") + "Z" });
  }

  turn(flipped) {
    this.flipped = flipped;
    this.number();
  }

  /** Puts the numbers around the board, or back into their squares. */
  numberOutside(isOutside) {
    if (isOutside === this.isOutside) return;
    this.isOutside = isOutside;
    this.svg.setAttribute("viewBox", isOutside ? `-${MARGIN} -${MARGIN} ${100 + 2 * MARGIN} ${100 + 2 * MARGIN}` : "0 0 100 100");
    this.svg.classList.toggle("outside", isOutside);
    this.number();
  }

  /** Puts the numbers in their places for the current orientation of the board. */
  number() {
    for (const number of this.numbers) {
      const { x, y } = this.place(Number(number.dataset.square));
      // Above, below, on the left or on the right; squares away from the edges show none outside.
      const beside = y < 1 ? [x + 5, -1] : y > 89 ? [x + 5, 102.6] : x < 1 ? [-2, y + 5.7] : x > 89 ? [102, y + 5.7] : null;
      const [right, below] = this.isOutside && beside ? beside : [x + 0.35, y + 1.75];
      number.setAttribute("class", beside ? "number rim" : "number");
      number.toggleAttribute("hidden", this.isOutside && !beside);
      number.setAttribute("x", String(right));
      number.setAttribute("y", String(below));
    }
  }

  /** The number of the square under a mouse or touch event; null beside the squares. */
  squareAt(event) {
    const box = this.svg.getBoundingClientRect();
    const view = this.svg.viewBox.baseVal;
    const x = view.x + ((event.clientX - box.left) / box.width) * view.width;
    const y = view.y + ((event.clientY - box.top) / box.height) * view.height;
    for (let square = 1; square <= 50; square++) {
      const place = this.place(square);
      const [right, below] = [x - place.x, y - place.y];
      if (right >= 0 && right < place.width && below >= 0 && below < place.width) return square;
    }
    return null;
  }
}
