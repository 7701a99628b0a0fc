// The board as a control: a grid of fifty cells over the drawing, for mouse, touch, keyboard and
// screen readers. It reports the chosen squares; its owner decides on the effect.

import { Board, EMPTY } from "./board.js";
import { make } from "../base/dom.js";
import { Motion } from "./motion.js";
import { t } from "../base/texts.js";

const NAMES = { w: "whiteMan", W: "whiteKing", b: "blackMan", B: "blackKing", e: "empty" };
/** Pixels that a pointer may move before it drags. */
const SLACK = 6;

export class Grid {
  /**
   * frame: the element that gets the board;
   * on: { pick(square), drag(from, to or null), canDrag(square), lift(square), draw(from, to) }; what is missing
   * does nothing.
   */
  constructor(frame, on) {
    this.on = on;
    this.board = new Board();
    this.motion = new Motion(this.board);
    this.board.svg.setAttribute("aria-hidden", "true");
    this.cells = new Map();
    this.grid = make("div", { class: "cells", role: "grid", id: "board" });
    frame.replaceChildren(this.board.svg, this.grid);
    this.shown = { position: EMPTY, flipped: false };
    this.build();
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("pointerdown", (event) => this.press(event));
    this.grid.addEventListener("contextmenu", (event) => event.preventDefault());
    /** The start of an arrow that is drawn by keyboard. */
    this.tail = null;
    this.grid.addEventListener("click", (event) => {
      // A click of a mouse was handled as a press; clicks by keys and screen readers come here.
      if (event.detail === 0) this.pick(event);
    });
  }

  /** Rows of cells, the upper left one first. */
  build() {
    const view = this.board.svg.viewBox.baseVal;
    const share = (length, whole) => (100 * length) / whole + "%";
    const focus = this.focused ?? 28;
    this.cells.clear();
    const rows = [];
    for (let row = 0; row < 10; row++) {
      const cells = [];
      for (let column = 0; column < 5; column++) {
        const place = 5 * row + column + 1;
        const square = this.shown.flipped ? 51 - place : place;
        const { x, y, width } = this.board.place(square);
        const cell = make("div", {
          role: "gridcell", class: "cell", "data-square": square,
          tabindex: square === focus ? "0" : "-1",
        });
        Object.assign(cell.style, {
          left: share(x - view.x, view.width), top: share(y - view.y, view.height),
          width: share(width, view.width), height: share(width, view.height),
        });
        this.cells.set(square, cell);
        cells.push(cell);
      }
      rows.push(make("div", { role: "row" }, ...cells));
    }
    this.grid.replaceChildren(...rows);
  }

  /**
   * Shows a state for {@link Board.show}, with `chosen`, the square of the chosen piece, `movable`,
   * the set of squares of pieces that can move, and `names`, marks whose name differs from their look.
   */
  show(shown) {
    const turned = Boolean(shown.flipped) !== Boolean(this.shown.flipped);
    this.shown = shown;
    this.board.show(shown);
    if (turned) this.build();
    for (const [square, cell] of this.cells) {
      const piece = t(NAMES[shown.position[square]]);
      const mark = shown.names?.[square] ?? shown.marks?.[square];
      const remark = mark ? ", " + t("mark." + mark) : "";
      cell.setAttribute("aria-label", t("square", { square, piece }) + remark);
      cell.classList.toggle("movable", Boolean(shown.movable?.has(square)));
      cell.setAttribute("aria-selected", String(square === shown.chosen));
    }
    this.grid.setAttribute("aria-label", t("board"));
  }

  /** Puts the numbers around the board, or back into their squares. */
  numberOutside(isOutside) {
    this.board.numberOutside(isOutside);
    this.build();
    this.show(this.shown);
  }

  static squareOf(event) {
    const cell = event.target.closest?.("[data-square]");
    return cell ? Number(cell.dataset.square) : null;
  }

  pick(event) {
    const square = Grid.squareOf(event);
    if (square) this.on.pick?.(square);
  }

  focus(square) {
    this.focused = square;
    for (const [number, cell] of this.cells) cell.tabIndex = number === square ? 0 : -1;
    this.cells.get(square).focus();
  }

  key(event) {
    const square = Grid.squareOf(event);
    if (!square) return;
    const steps = {
      ArrowLeft: -1, ArrowRight: 1, ArrowUp: -5, ArrowDown: 5, Home: -50, End: 50,
    };
    if (event.key === "Enter" || event.key === " ") {
      this.on.pick?.(square);
    } else if (event.key === "c") {
      this.on.draw?.(square, square);
    } else if (event.key === "x") {
      if (this.tail && this.tail !== square) this.on.draw?.(this.tail, square);
      this.tail = this.tail ? null : square;
    } else if (event.key in steps && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const step = this.shown.flipped ? -steps[event.key] : steps[event.key];
      const next = square + step;
      if (Math.abs(step) === 50) this.focus(step > 0 ? 50 : 1);
      else if (next >= 1 && next <= 50) this.focus(next);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** A press is a pick, unless the pointer then drags the piece somewhere. */
  press(event) {
    const from = Grid.squareOf(event);
    if (from && event.button === 2) {
      addEventListener("pointerup", (ended) => {
        const to = this.board.squareAt(ended);
        if (to) this.on.draw?.(from, to);
      }, { once: true });
    }
    if (!from || event.button !== 0) return;
    event.preventDefault();
    this.focus(from);
    let ghost = null;
    const move = (moved) => {
      const [right, below] = [moved.clientX - event.clientX, moved.clientY - event.clientY];
      if (!ghost && Math.hypot(right, below) > SLACK && this.on.canDrag?.(from)) {
        ghost = this.board.svg.querySelector(`g.pieces use[data-square="${from}"]`);
        ghost?.parentNode.append(ghost);
        if (ghost) this.on.lift?.(from);
      }
      if (!ghost) return;
      const scale = this.board.svg.viewBox.baseVal.width / this.board.svg.clientWidth;
      ghost.setAttribute("transform", `translate(${right * scale} ${below * scale})`);
    };
    const listening = new AbortController();
    const { signal } = listening;
    const end = (ended) => {
      listening.abort();
      if (!ghost) {
        if (ended.type === "pointerup") this.on.pick?.(from);
        return;
      }
      ghost.removeAttribute("transform");
      const to = this.board.squareAt(ended);
      if (ended.type === "pointerup" && to !== from) this.on.drag(from, to);
    };
    addEventListener("pointermove", move, { signal });
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, end, { signal });
  }
}
