// The moves of the game with variations and comments, to click through and to edit.

import { find, make } from "./dom.js";
import { MoveList, SIGNS } from "./movelist.js";

export class Moves {
  constructor(desk) {
    this.desk = desk;
    this.list = find("moves");
    desk.addEventListener("change", () => this.draw());
    this.moves = new MoveList(this.list, (node) => desk.go(node));
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
      if (value !== desk.node.comment) desk.edit(() => (desk.node.comment = value));
    });
    // As in a field of one line; with Shift, Enter begins another.
    find("comment").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      find("comment").dispatchEvent(new Event("change"));
    });
    find("sign").addEventListener("change", () => {
      this.sign(find("sign").value);
    });
    find("sign").append(
      make("option", { value: "" }, "–"),
      ...Object.entries(SIGNS).map(([nag, text]) => make("option", { value: nag }, text)),
    );
  }

  /** Sets a sign of the move on the board, or removes it. */
  sign(value) {
    const { desk } = this;
    const others = desk.node.nags.filter((nag) => !(nag in SIGNS));
    desk.edit(() => (desk.node.nags = value ? [Number(value), ...others] : others));
  }

  /** The menu of a move in the list. */
  menu(event) {
    const node = this.moves.nodeOf(event.target);
    if (!node) return;
    event.preventDefault();
    this.desk.go(node);
    const menu = find("menu");
    for (const button of menu.querySelectorAll("button")) {
      button.disabled = button.dataset.action === "promote" && find("promote").disabled;
    }
    menu.showPopover();
    const { offsetWidth, offsetHeight } = menu;
    // After a key, which has no place, the menu opens at the move.
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

  draw() {
    const { node, game } = this.desk;
    this.moves.draw(game, node);
    find("empty").hidden = game.root.children.length > 0 || game.root.comments.length > 0;
    const isRoot = !node.parent;
    for (const id of ["first", "back", "delete", "sign"]) find(id).disabled = isRoot;
    for (const id of ["forward", "last"]) find(id).disabled = node.children.length === 0;
    find("promote").disabled = !node.variation;
    find("undo").disabled = this.desk.past.length === 0;
    find("redo").disabled = this.desk.future.length === 0;
    find("comment").value = node.comment;
    find("sign").value = node.nags.find((nag) => nag in SIGNS) ?? "";
  }
}
