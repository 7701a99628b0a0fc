// A small board with the position after a line, beside the pointer or the focused move.

import { after, Board, squares } from "./board.js";

/** Pixels between the lines and the board. */
const GAP = 12;

export class Preview {
  /** @param {HTMLElement} frame */
  constructor(frame) {
    this.frame = frame;
    this.board = new Board();
    this.board.svg.classList.add("mini");
    frame.append(this.board.svg);
  }

  /** Shows the position after moves in Hub notation, below a list of lines or above it. */
  show(position, moves, flipped, list) {
    const last = moves.at(-1);
    this.board.show({
      position: moves.reduce(after, position), flipped, last: last ? squares(last).slice(0, 2) : null,
    });
    this.frame.hidden = false;
    const box = list.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.frame;
    const below = box.bottom + GAP;
    const top = below + offsetHeight > innerHeight ? box.top - GAP - offsetHeight : below;
    this.frame.style.left = Math.max(0, Math.min(box.left + GAP, innerWidth - offsetWidth)) + "px";
    this.frame.style.top = Math.max(0, top) + "px";
  }

  hide() {
    this.frame.hidden = true;
  }
}
