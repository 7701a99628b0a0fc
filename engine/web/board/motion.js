// Pieces slide to their squares, and captured ones vanish one by one.

import { squares } from "./board.js";
import { settings } from "../views/settings.js";
import { way } from "./way.js";

/** Milliseconds for a jump, and at most for a whole move. */
const [JUMP, LONGEST] = [180, 900];

const isStill = () => !settings.motion || matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Moves the pieces of a board that shows the position after a move. */
export class Motion {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    /** @type {Animation[]} */
    this.running = [];
    /** @type {Element[]} */
    this.ghosts = [];
  }

  /** Ends all motion: the board shows the position. */
  end() {
    for (const one of this.running) one.cancel();
    for (const ghost of this.ghosts) ghost.remove();
    this.running = [];
    this.ghosts = [];
  }

  /** The steps of a piece to its square from others. */
  steps(to, squares) {
    const goal = this.board.place(to);
    return squares.map((square) => {
      const { x, y } = this.board.place(square);
      return { transform: `translate(${x - goal.x}px, ${y - goal.y}px)` };
    });
  }

  piece(square) {
    return this.board.layers.pieces.querySelector(`use[data-square="${square}"]`);
  }

  /** The move that led from `before` to the position on the board. */
  forward(before, move) {
    this.end();
    if (isStill()) return;
    const [from, to] = squares(move);
    const jumps = way(before, move);
    const duration = Math.min(JUMP * jumps.length, LONGEST);
    this.slide(to, [from, ...jumps.map((jump) => jump.to)], duration);
    jumps.forEach(({ captured }, index) => {
      if (captured === null) return;
      const ghost = this.board.piece(captured, before[captured]);
      this.board.layers.pieces.prepend(ghost);
      this.ghosts.push(ghost);
      const fade = ghost.animate([{ opacity: 1 }, { opacity: 0 }], {
        delay: (duration * (index + 0.5)) / jumps.length, duration: JUMP, fill: "both",
      });
      fade.finished.then(() => ghost.remove(), () => {});
      this.running.push(fade);
    });
  }

  /** Slides back to the position before a move. */
  back(move) {
    this.end();
    if (isStill()) return;
    const [from, to] = squares(move);
    this.slide(from, [to, from], JUMP);
  }

  slide(to, squares, duration) {
    const piece = this.piece(to);
    if (!piece) return;
    // Above the others.
    piece.parentNode.append(piece);
    this.running.push(piece.animate(this.steps(to, squares), { duration, easing: "ease-in-out" }));
  }
}
