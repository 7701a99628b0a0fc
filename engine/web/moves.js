// The moves of the game with variations and comments, to click through and to edit.

import { find, make } from "./dom.js";
import { t } from "./texts.js";
import { plain } from "./tree.js";

/** Signs of the numeric annotation glyphs that people use. */
export const SIGNS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };

/** How moves with these signs are coloured. */
const QUALITY = { 1: "good", 3: "good", 2: "mistake", 4: "blunder", 6: "dubious" };

const sign = (nag) => SIGNS[nag] ?? "$" + nag;

/** Blanks between the elements, so that they can be copied, and lines broken there. */
const spaced = (elements) => elements.flatMap((element, index) => (index ? [" ", element] : [element]));

export class Moves {
  constructor(desk) {
    this.desk = desk;
    this.list = find("moves");
    desk.addEventListener("change", () => this.draw());
    this.list.addEventListener("click", ({ target }) => {
      const node = this.nodes?.get(/** @type {Element} */ (target).closest("button"));
      if (node) desk.go(node);
    });
    const on = (id, action) => find(id).addEventListener("click", action);
    on("first", () => desk.go(desk.game.root));
    on("back", () => desk.go(desk.node.parent));
    on("forward", () => desk.go(desk.node.children[0]));
    on("last", () => desk.go(desk.node.line().at(-1)));
    on("promote", () => desk.edit(() => desk.node.promote()));
    on("delete", () => this.remove());
    on("undo", () => desk.undo());
    on("redo", () => desk.redo());
    this.list.addEventListener("contextmenu", (event) => this.menu(event));
    const menu = find("menu");
    menu.addEventListener("click", ({ target }) => {
      const { action, nag } = /** @type {HTMLElement} */ (target).closest("button")?.dataset ?? {};
      if (!action && nag === undefined) return;
      menu.hidePopover();
      if (nag !== undefined) this.sign(nag);
      else if (action === "comment") find("comment").focus();
      else find(action).click();
    });
    menu.addEventListener("keydown", (event) => {
      const buttons = [.../** @type {NodeListOf<HTMLButtonElement>} */ (menu.querySelectorAll("button:enabled"))];
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const here = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
      buttons[(here + step + buttons.length) % buttons.length].focus();
      event.preventDefault();
      event.stopPropagation();
    });
    menu.querySelector(".signs").append(...Object.entries(SIGNS).map(([nag, text]) =>
      make("button", { type: "button", role: "menuitem", "data-nag": nag }, text)));
    find("comment").addEventListener("change", () => {
      const { value } = find("comment");
      desk.edit(() => (desk.node.comment = value));
    });
    find("sign").addEventListener("change", () => {
      this.sign(find("sign").value);
    });
    this.list.addEventListener("copy", (event) => this.copy(event));
    find("sign").append(
      make("option", { value: "" }, "–"),
      ...Object.entries(SIGNS).map(([nag, text]) => make("option", { value: nag }, text)),
    );
  }

  /** Gives the move on the board a sign, or takes it away. */
  sign(value) {
    const { desk } = this;
    const others = desk.node.nags.filter((nag) => !(nag in SIGNS));
    desk.edit(() => (desk.node.nags = value ? [Number(value), ...others] : others));
  }

  /** The menu of a move in the list. */
  menu(event) {
    const node = this.nodes.get(event.target.closest("button"));
    if (!node) return;
    event.preventDefault();
    this.desk.go(node);
    const menu = find("menu");
    for (const button of menu.querySelectorAll("button")) {
      button.disabled = button.dataset.action === "promote" && find("promote").disabled;
    }
    menu.showPopover();
    const { offsetWidth, offsetHeight } = menu;
    // A key gives no place: then it is that of the move.
    const box = this.list.querySelector("[aria-current]").getBoundingClientRect();
    const [x, y] = event.clientX || event.clientY ? [event.clientX, event.clientY] : [box.left, box.bottom];
    menu.style.left = Math.max(0, Math.min(x, innerWidth - offsetWidth)) + "px";
    menu.style.top = Math.max(0, Math.min(y, innerHeight - offsetHeight)) + "px";
    /** @type {HTMLElement} */ (menu.querySelector("button:enabled")).focus();
  }

  remove() {
    const { desk } = this;
    const { node } = desk;
    if (!node.parent) return;
    desk.edit(() => {
      node.remove();
      desk.node = node.parent;
    });
  }

  /** Copied moves are PDN: comments get their braces. */
  copy(event) {
    const selection = getSelection();
    if (selection.isCollapsed) return;
    const part = make("div", {}, selection.getRangeAt(0).cloneContents());
    for (const remark of part.querySelectorAll(".remark")) remark.textContent = "{" + remark.textContent + "}";
    event.clipboardData.setData("text/plain", part.textContent.replace(/\s+/g, " ").trim());
    event.preventDefault();
  }

  draw() {
    const { node, game } = this.desk;
    this.nodes = new Map();
    this.list.replaceChildren(
      ...spaced([...this.remarks(game.root.comments), ...this.line(game.root.children[0], true)]),
    );
    const current = /** @type {HTMLElement} */ (this.list.querySelector("[aria-current]"));
    if (current) {
      // Only the list is scrolled, not the page.
      const { offsetTop, offsetHeight } = current;
      const { scrollTop, clientHeight } = this.list;
      if (offsetTop < scrollTop) this.list.scrollTop = offsetTop;
      const over = offsetTop + offsetHeight - clientHeight;
      if (over > scrollTop) this.list.scrollTop = over;
    }
    find("empty").hidden = game.root.children.length > 0 || game.root.comments.length > 0;
    const isRoot = !node.parent;
    for (const id of ["first", "back", "delete", "sign"]) find(id).disabled = isRoot;
    for (const id of ["forward", "last"]) find(id).disabled = node.children.length === 0;
    find("promote").disabled = isRoot || node.parent.children[0] === node;
    find("undo").disabled = this.desk.past.length === 0;
    find("redo").disabled = this.desk.future.length === 0;
    find("comment").value = node.comment;
    find("sign").value = node.nags.find((nag) => nag in SIGNS) ?? "";
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
          tabindex: node === this.desk.node ? "0" : "-1",
          "aria-current": node === this.desk.node && "true",
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
