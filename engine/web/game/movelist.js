// The moves of a game with variations and comments, as a list of buttons.

import { iconButton, make } from "../base/dom.js";
import { clockText, t } from "../base/texts.js";
import { short } from "../board/board.js";
import { plain } from "./tree.js";

/** The signs of common numeric annotation glyphs. */
export const SIGNS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };

/** The colours of moves: of signs, and of the grades of a report. */
export const COLOURS = { 1: "q0", 3: "q0", 2: "q2", 4: "q3", 6: "q1", inaccuracy: "q1", mistake: "q2", blunder: "q3" };
/** The glyphs of grades; an inaccuracy has a smaller sign, since ?! is praise in draughts. */
export const GLYPHS = { inaccuracy: 2, mistake: 2, blunder: 4 };

/** From this level on variations are folded. */
const FOLDED = 3;
/** Phones, which have a strip of moves. */
const NARROW = "(max-width: 599px) and (min-height: 520px), (max-width: 479px)";

const sign = (nag) => SIGNS[nag] ?? "$" + nag;

/** The sign of a move with this grade; empty for a good one. */
export const signOf = (grade) => SIGNS[GLYPHS[grade]] ?? "";

/** The mistake of a move, in a sentence. @param {Pick<Records.Mistake, "move" | "better" | "kind" | "men" | "line">} mistake */
export const sentence = ({ move, better, kind, men, line }) => {
  const said = t("was." + kind, { move: short(move), men, line: line.map(short).join(" ") });
  const isShown = kind.endsWith("_combination") || !better;
  return said + (isShown ? "." : "; " + t("betterMove", { move: short(better) }) + ".");
};

/** Blanks between the elements, for copying and line breaks. */
const spaced = (elements) => elements.flatMap((element, index) => (index ? [" ", element] : [element]));

/** A parenthesis around a variation, for copying alone. */
const paren = (text) => make("span", { class: "paren" }, text);

export class MoveList {
  /**
   * @param {HTMLElement} list the element that gets the moves.
   * @param {(node: import("./tree.js").Node) => void} go called with the clicked move.
   * @param {(node: import("./tree.js").Node, button: Element) => void} [fork] called with a move of a strip that has
   *   others beside it, when the user asks for them.
   */
  constructor(list, go, fork) {
    this.list = list;
    this.fork = fork;
    if (fork) matchMedia(NARROW).addEventListener("change", () => this.game && this.draw(this.game, this.node));
    /** @type {Map<Element, import("./tree.js").Node>} */
    this.nodes = new Map();
    /** The folded variations that are open. @type {Set<import("./tree.js").Node>} */
    this.unfolded = new Set();
    list.addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("button");
      const fold = this.folds.get(button);
      if (fold && button.matches(".fork")) return this.fork(fold, button);
      if (fold) {
        this.unfolded.add(fold);
        return this.draw(this.game, this.node);
      }
      const node = this.nodeOf(target);
      if (node) go(node);
    });
    /** @type {Map<Element, import("./tree.js").Node>} */
    this.folds = new Map();
    list.addEventListener("copy", (event) => this.copy(event));
  }

  /** The move whose button this is, or is in. */
  nodeOf(target) {
    return this.nodes.get(/** @type {Element} */ (target).closest("button"));
  }

  /** Copied moves are PDN: comments are in braces. */
  copy(event) {
    const selection = getSelection();
    if (selection.isCollapsed) return;
    const part = make("div", {}, selection.getRangeAt(0).cloneContents());
    for (const remark of part.querySelectorAll(".remark")) remark.textContent = "{" + remark.textContent + "}";
    for (const dots of part.querySelectorAll(".dots")) dots.previousElementSibling.append("..");
    for (const number of part.querySelectorAll(".n")) number.append(".");
    for (const more of part.querySelectorAll("small, .fold, .dots")) more.remove();
    event.clipboardData.setData("text/plain", part.textContent.replace(/\s+/g, " ").trim());
    event.preventDefault();
  }

  /**
   * Shows the moves of a game.
   * @param {import("./tree.js").Game} game
   * @param {import("./tree.js").Node} node the one on the board.
   */
  draw(game, node) {
    this.game = game;
    this.node = node;
    /** The moves through the one on the board; a strip shows only them. */
    this.path = new Set(node.line());
    this.nodes.clear();
    this.folds.clear();
    const isEmpty = game.root.children.length + game.root.comments.length === 0;
    this.list.classList.toggle("empty", isEmpty);
    this.list.replaceChildren(...(isEmpty
      ? [make("p", { class: "soft", id: "empty" }, t("noMoves"))]
      : spaced(this.fork && this.list.matches(".strip") && matchMedia(NARROW).matches
        ? this.strip(node) : [...this.note(this.remarks(game.root.comments)), ...this.main(game.root.children[0])])));
    const current = /** @type {HTMLElement} */ (this.list.querySelector("[aria-current]"));
    if (!current) return;
    // Into the middle third of the list; this scrolls only the list, not the page.
    const box = current.getBoundingClientRect();
    const { left, top, width, height } = this.list.getBoundingClientRect();
    const [right, below] = [box.left - left, box.top - top];
    if (below < height / 3 || below > (2 * height) / 3) this.list.scrollTop += below - height / 2;
    if (right < width / 3 || right > (2 * width) / 3) this.list.scrollLeft += right - width / 2;
  }

  remarks(comments) {
    const texts = comments.map(plain).filter(Boolean);
    return texts.map((text) => make("span", { class: "remark" }, text));
  }

  /** Elements over the full width below a move. */
  note(elements) {
    return elements.length ? [make("div", { class: "note" }, ...spaced(elements))] : [];
  }

  button(node, isMain) {
    const isWhite = node.parent.position[0] === "W";
    const { nags, grade, text, clock } = node;
    const own = nags.filter((nag) => SIGNS[nag]).length > 0;
    const glyphs = own || !GLYPHS[grade] ? nags : [...nags, GLYPHS[grade]];
    const colour = own ? glyphs.map((nag) => COLOURS[nag]).find(Boolean) : COLOURS[grade];
    const signs = glyphs.map(sign).join("");
    const button = make("button", {
      type: "button", class: ["m", isMain && "mainline", isMain && (isWhite ? "white" : "black"), colour].filter(Boolean).join(" "),
      tabindex: node === this.node ? "0" : "-1", "aria-current": node === this.node && "true",
      "aria-label": [node.number, text, signs].filter(Boolean).join(" "),
    }, text, ...(signs ? [make("sup", {}, signs)] : []), ...(isMain && clock !== null ? [make("small", {}, clockText(clock))] : []));
    this.nodes.set(button, node);
    return button;
  }

  /** The main line in two columns, with what is said beside it below each move. */
  main(first) {
    const elements = [];
    for (let node = first; node; node = node.children[0]) {
      const isWhite = node.parent.position[0] === "W";
      const lead = this.note(this.remarks(node.lead));
      elements.push(...lead);
      const isBroken = !isWhite && !elements.at(-1)?.matches?.(".white");
      if (isWhite || isBroken) elements.push(make("span", { class: "n" }, node.number.replace(/\.+$/, "")));
      if (isBroken) elements.push(make("span", { class: "m soft dots", "aria-hidden": "true" }, "…"));
      elements.push(this.button(node, true));
      const others = node.parent.children.slice(1);
      const below = this.note([...this.remarks(node.comments), ...others.map((other) => this.variation(other, 1))]);
      if (below.length && isWhite) elements.push(make("span", { class: "gap" }));
      elements.push(...below);
    }
    return elements;
  }

  /** The line through the move on the board, with a fork where it could go on otherwise. */
  strip(node) {
    return node.line().slice(1).flatMap((one) => {
      const isWhite = one.parent.position[0] === "W";
      const elements = isWhite || !one.parent.parent ? [make("span", { class: "n" }, one.number.replace(/\.+$/, ""))] : [];
      if (one.parent.children.length > 1) {
        const fork = iconButton("down", t("variation"), { class: "ib fork" });
        this.folds.set(fork, one);
        elements.push(fork);
      }
      return [...elements, this.button(one, true)];
    });
  }

  /** A variation: deep ones are folded. */
  variation(first, level) {
    const line = first.line();
    if (level >= FOLDED && !this.unfolded.has(first) && !this.path.has(first)) {
      const fold = make("button", { type: "button", class: "chip fold", "aria-label": t("unfold", { move: first.text }) }, "+" + (line.length - line.indexOf(first)));
      this.folds.set(fold, first);
      return fold;
    }
    return make("span", { class: "variation" + (level > 1 ? " deep" : ""), role: "group", "aria-label": t("variation") }, paren("("), ...spaced(this.line(first, level)), paren(")"));
  }

  /** The elements of a variation from this node on. */
  line(first, level) {
    const elements = [];
    let numbered = false;
    for (let node = first; node; node = node.children[0]) {
      const lead = this.remarks(node.lead);
      elements.push(...lead);
      if (node.parent.position[0] === "W" || !numbered || lead.length) elements.push(make("i", {}, node.number));
      elements.push(this.button(node, false));
      const others = node === first ? [] : node.parent.children.slice(1);
      const more = [...this.remarks(node.comments), ...others.map((other) => this.variation(other, level + 1))];
      elements.push(...more);
      numbered = more.length === 0;
    }
    return elements;
  }
}
