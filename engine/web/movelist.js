// The moves of a game with variations and comments, as a list of buttons.

import { make } from "./dom.js";
import { t } from "./texts.js";
import { plain } from "./tree.js";

/** The signs of common numeric annotation glyphs. */
export const SIGNS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };

/** The colours of moves with these signs. */
const QUALITY = { 1: "good", 3: "good", 2: "mistake", 4: "blunder", 6: "dubious" };

const sign = (nag) => SIGNS[nag] ?? "$" + nag;

/** Blanks between the elements, for copying and line breaks. */
const spaced = (elements) => elements.flatMap((element, index) => (index ? [" ", element] : [element]));

export class MoveList {
  /**
   * @param {HTMLElement} list the element that gets the moves.
   * @param {(node: import("./tree.js").Node) => void} go called with the clicked move.
   */
  constructor(list, go) {
    this.list = list;
    /** @type {Map<Element, import("./tree.js").Node>} */
    this.nodes = new Map();
    list.addEventListener("click", ({ target }) => {
      const node = this.nodeOf(target);
      if (node) go(node);
    });
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
    event.clipboardData.setData("text/plain", part.textContent.replace(/\s+/g, " ").trim());
    event.preventDefault();
  }

  /**
   * Shows the moves of a game.
   * @param {import("./tree.js").Game} game
   * @param {import("./tree.js").Node} node the one on the board.
   */
  draw(game, node) {
    this.node = node;
    this.nodes.clear();
    this.list.replaceChildren(
      ...spaced([...this.remarks(game.root.comments), ...this.line(game.root.children[0], true)]),
    );
    const current = /** @type {HTMLElement} */ (this.list.querySelector("[aria-current]"));
    if (!current) return;
    // This scrolls only the list, not the page.
    const { offsetTop, offsetHeight } = current;
    const { scrollTop, clientHeight } = this.list;
    if (offsetTop < scrollTop) this.list.scrollTop = offsetTop;
    const over = offsetTop + offsetHeight - clientHeight;
    if (over > scrollTop) this.list.scrollTop = over;
  }

  remarks(comments) {
    const texts = comments.map(plain).filter(Boolean);
    return texts.map((text) => make("span", { class: "remark" }, text));
  }

  /** The elements of a line from this node on, with the variations beside it. */
  line(first, isMain) {
    const elements = [];
    let numbered = false;
    for (let node = first; node; node = node.children[0]) {
      const lead = this.remarks(node.lead);
      elements.push(...lead);
      const isWhite = node.parent.position[0] === "W";
      if (isWhite || !numbered || lead.length) {
        elements.push(make("span", { class: isWhite || !isMain ? "number" : "number again" }, node.number));
      }
      const button = make(
        "button",
        {
          type: "button",
          class: ["move", isMain && "mainline", isWhite ? "white" : "black", ...node.nags.map((nag) => QUALITY[nag])]
            .filter(Boolean).join(" "),
          tabindex: node === this.node ? "0" : "-1",
          "aria-current": node === this.node && "true",
          "aria-label": [node.number, node.text, ...node.nags.map(sign)].join(" "),
        },
        node.text + node.nags.map(sign).join(""),
      );
      this.nodes.set(button, node);
      elements.push(button);
      const remarks = this.remarks(node.comments);
      const others = node === first && !isMain ? [] : node.parent.children.slice(1);
      const variations = others.map((other) =>
        make("span", { class: "variation", role: "group", "aria-label": t("variation") },
          "(", ...spaced(this.line(other, false)), ")"),
      );
      elements.push(...remarks, ...variations);
      numbered = remarks.length + variations.length === 0;
    }
    return elements;
  }
}
