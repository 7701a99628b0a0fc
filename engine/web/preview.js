// A small board with the position after a line, beside the pointer or the focused move.

import { after, Board, squares } from "./board.js";

/** Pixels between the move and the board. */
const GAP = 12;

export class Preview {
  /**
   * @param {HTMLElement} frame
   * @param {Element} sheet the drawing of a board without pieces.
   */
  constructor(frame, sheet) {
    const copy = /** @type {SVGElement} */ (sheet.cloneNode(true));
    // A board refers to the drawings of the page's first sheet.
    copy.querySelector("defs").remove();
    frame.append(copy);
    this.frame = frame;
    this.board = new Board(copy);
  }

  /** Shows the position after moves in Hub notation, beside an element. */
  show(position, moves, flipped, place) {
    const last = moves.at(-1);
    this.board.show({
      position: moves.reduce(after, position), flipped, last: last ? squares(last).slice(0, 2) : null,
    });
    this.frame.hidden = false;
    const box = place.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.frame;
    const below = box.bottom + GAP;
    const top = below + offsetHeight > innerHeight ? box.top - GAP - offsetHeight : below;
    this.frame.style.left = Math.max(0, Math.min(box.left, innerWidth - offsetWidth)) + "px";
    this.frame.style.top = Math.max(0, top) + "px";
  }

  hide() {
    this.frame.hidden = true;
  }
}
