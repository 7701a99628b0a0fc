// A picture of a position with a caption, as in a book.

import { icon, make, shape } from "../base/dom.js";
import { Board, fen } from "./board.js";

/** A piece by itself, w, W, b or B. */
export const pieceIcon = (letter, width) => {
  const use = shape("use", { class: letter, href: /[WB]/.test(letter) ? "#king" : "#man", width: 10, height: 10 });
  return shape("svg", { class: "board alone", style: `width:${width}px`, viewBox: "0 0 10 10", "aria-hidden": "true" }, use);
};

/** The options of a choice of pieces; `names` are the texts of the pieces and of the empty square. */
export const pieceOptions = (names) =>
  Object.entries(names).map(([value, name]) => make("button", {
    type: "button", class: "opt", role: "radio", value, "data-label": name,
  }, value === "e" ? icon("trash") : pieceIcon(value, 30)));

/** A small board that shows a state for {@link Board.show}. */
export const mini = (shown, label = fen(shown.position)) => {
  const board = new Board();
  board.svg.classList.add("mini");
  board.svg.setAttribute("aria-label", label);
  board.show(shown);
  return board.svg;
};

/**
 * A drawing of a position with its caption.
 * @param {{ position: string, flipped: boolean }} shown
 * @param {(Node | string)[]} caption
 */
export const figure = (shown, ...caption) => make("figure", {}, mini(shown), make("figcaption", {}, ...caption));
