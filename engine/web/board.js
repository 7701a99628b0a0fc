// A board on a page. The drawing is the sheet of engine/pages/src/diagram/svg.rs; this module puts pieces,
// marks and arrows into it. Positions are the strings of the Hub protocol: the side to move (W or
// B), then w, b, W, B or e for the squares 1 to 50. No imports, so that pages of a single file
// can contain it.

const SVG = "http://www.w3.org/2000/svg";
const PIECES = { w: "white-man", W: "white-king", b: "black-man", B: "black-king" };

const element = (name, attributes) => {
  const node = document.createElementNS(SVG, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  return node;
};

/** The squares of a move in Hub notation: from, to, and the captured pieces. */
export const squares = (move) => move.split(/[-x]/).map(Number);

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
    if (color === "H" || color === "F") continue;
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

/** A board in an inlined sheet. */
export class Board {
  /** svg: the element of the sheet. */
  constructor(svg) {
    this.svg = svg;
    this.flipped = false;
    this.layers = {};
    for (const name of ["marks", "pieces", "arrows"]) {
      this.layers[name] = svg.querySelector("g." + name);
    }
    // The places of squares and their numbers with White at the bottom.
    this.places = {};
    for (const square of svg.querySelectorAll("rect.square")) {
      const [x, y, width] = ["x", "y", "width"].map((key) => Number(square.getAttribute(key)));
      this.places[square.dataset.square] = { x, y, width };
    }
    this.squares = [...svg.querySelectorAll("rect.square")];
    this.numbers = [...svg.querySelectorAll("g.number")];
    /** Whether the numbers are around the board. */
    this.isOutside = false;
    this.inside = svg.getAttribute("viewBox");
    this.transforms = {};
    for (const number of this.numbers) {
      this.transforms[number.dataset.square] = number.getAttribute("transform");
    }
  }

  /** The drawing of a piece, w, W, b or B, on a square. */
  piece(square, letter) {
    const { x, y } = this.place(square);
    return element("use", { href: "#" + PIECES[letter], x, y, "data-square": square });
  }

  /** The upper left corner and width of a square as shown now. */
  place(square) {
    return this.places[this.flipped ? 51 - square : square];
  }

  /**
   * Shows a position: { position, flipped, last: [from, to], marks: { square: name },
   * arrows: [{ from, to, kind }] }.
   */
  show({ position, flipped = false, last = null, marks = {}, arrows = [] }) {
    // Pieces that stay are not drawn again: they may be sliding.
    const stays = position === this.position && flipped === this.flipped;
    this.position = position;
    if (flipped !== this.flipped) this.turn(flipped);
    const at = (square, id) => {
      const { x, y } = this.place(square);
      return element("use", { href: "#" + id, x, y, "data-square": square });
    };
    const all = { ...marks };
    if (last) {
      all[last[0]] ??= "from";
      all[last[1]] ??= "to";
    }
    const marked = Object.entries(all).map(([square, name]) => at(Number(square), "mark-" + name));
    this.layers.marks.replaceChildren(...marked);
    if (!stays) {
      const pieces = [];
      for (let square = 1; square <= 50; square++) {
        if (position[square] in PIECES) pieces.push(this.piece(square, position[square]));
      }
      this.layers.pieces.replaceChildren(...pieces);
    }
    this.layers.arrows.replaceChildren(...arrows.map((arrow) => this.arrow(arrow)));
  }

  arrow({ from, to, kind = "best" }) {
    const middle = (square) => {
      const { x, y, width } = this.place(square);
      return [x + width / 2, y + width / 2];
    };
    const [[x1, y1], [x2, y2]] = [middle(from), middle(to)];
    if (kind === "own") {
      const look = { class: "arrow own", stroke: "#e8710a", "stroke-width": 0.9, fill: "none", opacity: 0.9 };
      if (from === to) return element("circle", { ...look, cx: x1, cy: y1, r: 4.4 });
      // The point of the arrow is part of its line.
      const [across, down] = [x2 - x1, y2 - y1];
      const length = Math.hypot(across, down);
      const [right, below] = [(2.4 * across) / length, (2.4 * down) / length];
      const wing = (side) => `${x2 - right + side * below * 0.7} ${y2 - below - side * right * 0.7}`;
      return element("path", { ...look, d: `M${x1} ${y1}L${x2} ${y2}M${wing(1)}L${x2} ${y2}L${wing(-1)}` });
    }
    // The sheet defines colour and width with the point of the arrow.
    const head = this.svg.querySelector("#head-" + kind + " path");
    return element("line", {
      class: "arrow " + kind, x1, y1, x2, y2, stroke: head.getAttribute("fill"),
      "stroke-width": 1.3, opacity: 0.85, "marker-end": "url(#head-" + kind + ")",
    });
  }

  turn(flipped) {
    this.flipped = flipped;
    for (const square of this.squares) {
      const { x, y } = this.place(Number(square.dataset.square));
      square.setAttribute("x", x);
      square.setAttribute("y", y);
    }
    this.number();
  }

  /** Puts the numbers around the board, or back into their squares. */
  numberOutside(isOutside) {
    if (isOutside === this.isOutside) return;
    this.isOutside = isOutside;
    this.svg.setAttribute("viewBox", isOutside ? "-4.5 -4.5 109 109" : this.inside);
    this.number();
  }

  /** Puts the numbers in their places for the current orientation of the board. */
  number() {
    for (const number of this.numbers) {
      const square = Number(number.dataset.square);
      const { x, y, width } = this.place(square);
      // Above, below, on the left or on the right; squares away from the edges show none.
      const beside = y < 1 ? [x + 3.5, -3.6] : y > 89 ? [x + 3, 101.3] : x < 1 ? [-4.2, y + width / 2 - 1] : x > 89 ? [101.2, y + width / 2 - 1] : null;
      number.toggleAttribute("hidden", this.isOutside && !beside);
      number.setAttribute("transform", this.isOutside && beside
        ? `translate(${beside[0]} ${beside[1]}) scale(0.22)`
        : this.transforms[this.flipped ? 51 - square : square]);
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
