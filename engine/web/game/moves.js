// The moves of the game with variations and comments, to click through and to edit.

import { find, make, on, onClick } from "../base/dom.js";
import { openPop } from "../base/pops.js";
import { t } from "../base/texts.js";
import { MoveList, SIGNS } from "./movelist.js";

export class Moves {
  constructor(desk) {
    this.desk = desk;
    this.list = find("moves");
    desk.addEventListener("change", () => this.draw());
    this.moves = new MoveList(this.list, (node) => desk.go(node), ({ parent }, fork) => {
      const item = (node) => make("button", { type: "button", role: "menuitem", click: () => desk.go(node) }, make("b", {}, node.number + " " + node.text));
      find("fork-menu").replaceChildren(...parent.children.map(item));
      openPop(find("fork-menu"), fork.getBoundingClientRect());
    });
    onClick("first", () => desk.go(desk.game.root));
    onClick("back", () => desk.go(desk.node.parent));
    onClick("forward", () => desk.go(desk.node.children[0]));
    onClick("last", () => desk.go(desk.node.line().at(-1)));
    onClick("promote", () => desk.edit(() => desk.node.promote()));
    onClick("delete", () => this.remove());
    onClick("undo", () => desk.undo());
    onClick("redo", () => desk.redo());
    this.isPressed = false;
    addEventListener("pointerdown", () => (this.isPressed = true));
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => (this.isPressed = false));
    this.list.addEventListener("contextmenu", (event) => this.menu(event));
    on("note", "toggle", ({ newState }) => newState !== "open" && this.comment());
    on("comment", "change", () => this.comment());
    // As in a field of one line; with Shift, Enter begins another.
    on("comment", "keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.comment();
      find("note").hidePopover();
    });
    on("sign", "change", () => this.sign(find("sign").value));
    const option = ([nag, text]) => make("button", { type: "button", class: "opt", role: "radio", value: nag }, text);
    find("sign").append(...[["", "–"], ...Object.entries(SIGNS)].map(option));
    for (const id of /** @type {const} */ (["promote", "delete"])) onClick(id, () => find("note").hidePopover());
  }

  /** The typed comment belongs to the move on the board. */
  comment() {
    const { desk } = this;
    const { value } = find("comment");
    if (value !== desk.node.comment) desk.edit(() => (desk.node.comment = value));
  }

  /** Goes to the variation above or below the move on the board. */
  beside(step) {
    const { desk } = this;
    const siblings = desk.node.parent?.children ?? [];
    desk.go(siblings[siblings.indexOf(desk.node) + step]);
  }

  /** Sets a sign of the move on the board, or removes it. */
  sign(value) {
    const { desk } = this;
    const others = desk.node.nags.filter((nag) => !(nag in SIGNS));
    desk.edit(() => (desk.node.nags = value ? [Number(value), ...others] : others));
  }

  /** What can be said about a move, and done with it. */
  menu(event) {
    const node = this.moves.nodeOf(event.target);
    if (!node) return;
    event.preventDefault();
    this.desk.go(node);
    const open = () => {
      openPop(find("note"), this.list.querySelector("[aria-current]").getBoundingClientRect());
      find("comment").focus();
    };
    // Releasing the button closes what is open.
    if (!this.isPressed) return open();
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => setTimeout(open), { once: true });
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
    const isRoot = !node.parent;
    for (const id of ["first", "back", "delete"]) find(id).disabled = isRoot;
    for (const id of ["forward", "last"]) find(id).disabled = node.children.length === 0;
    for (const button of find("sign").children) /** @type {HTMLButtonElement} */ (button).disabled = isRoot;
    find("promote").disabled = !node.variation;
    find("undo").disabled = this.desk.past.length === 0;
    find("redo").disabled = this.desk.future.length === 0;
    find("note-move").textContent = isRoot ? t("comment") : node.number + " " + node.text;
    find("comment").value = node.comment;
    find("sign").value = String(node.nags.find((nag) => nag in SIGNS) ?? "");
  }
}
