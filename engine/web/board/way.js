// The route of a move over the board: its landing squares and the captures between them.

import { squares } from "./board.js";

/** Row and column of a square, from 0, the upper left corner in White's view. */
const place = (square) => {
  const row = Math.floor((square - 1) / 5);
  return [row, 2 * ((square - 1) % 5) + (row % 2 ? 0 : 1)];
};

/** The square of a row and column; 0 outside the board. */
const squareAt = (row, column) =>
  row < 0 || row > 9 || column < 0 || column > 9 || (row + column) % 2 === 0
    ? 0 : 5 * row + Math.floor(column / 2) + 1;

const DIRECTIONS = [[-1, -1], [-1, 1], [1, -1], [1, 1]];

/**
 * The jumps of a move in Hub notation from this position: for each the landing square and the
 * captured one, null in a quiet move. There may be other routes than the returned one.
 * @param {string} position
 * @param {string} move
 * @returns {{ to: number, captured: number | null }[]}
 */
export const way = (position, move) => {
  const [from, to, ...captured] = squares(move);
  const straight = [{ to, captured: captured[0] ?? null }];
  if (captured.length < 2) return straight;
  const isKing = /[WB]/.test(position[from]);
  const isFree = (square) => square > 0 && (square === from || position[square] === "e");
  const search = (square, rest) => {
    if (rest.length === 0) return square === to ? [] : null;
    for (const [down, right] of DIRECTIONS) {
      let [row, column] = place(square);
      const step = () => squareAt((row += down), (column += right));
      let next = step();
      while (isKing && isFree(next)) next = step();
      if (!rest.includes(next)) continue;
      const others = rest.filter((one) => one !== next);
      for (let landing = step(); isFree(landing); landing = step()) {
        const further = search(landing, others);
        if (further) return [{ to: landing, captured: next }, ...further];
        if (!isKing) break;
      }
    }
    return null;
  };
  return search(from, captured) ?? straight;
};
