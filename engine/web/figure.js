// A picture of a position with a caption, as in a book.

import { Board, fen } from "./board.js";
import { make } from "./dom.js";

/**
 * A drawing of a position with its caption.
 * @param {Element} sheet the drawing of a board without pieces.
 * @param {{ position: string, flipped: boolean }} shown
 * @param {(Node | string)[]} caption
 */
export const figure = (sheet, { position, flipped }, ...caption) => {
  const svg = /** @type {any} */ (sheet.cloneNode(true));
  // A board refers to the drawings of the page's first sheet.
  svg.querySelector("defs").remove();
  svg.setAttribute("aria-label", fen(position));
  const board = new Board(svg);
  board.numberOutside(false);
  board.show({ position, flipped });
  return make("figure", {}, svg, make("figcaption", {}, ...caption));
};
