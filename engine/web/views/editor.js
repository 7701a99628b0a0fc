// Setting up a position: the user places and drags pieces, or types a FEN.

import { EMPTY, fen, readFen } from "../board/board.js";
import { initialOf } from "../game/desk.js";
import { find, on, onClick } from "../base/dom.js";
import { Part } from "../game/part.js";
import { pieceOptions } from "../board/figure.js";
import { t } from "../base/texts.js";

export class Editor extends Part {
  constructor(desk, page) {
    super(desk, page);
    find("piece").append(...pieceOptions({ w: "whiteMan", W: "whiteKing", b: "blackMan", B: "blackKing", e: "erase" }));
    find("piece").value = "w";
    onClick("clear", () => this.set(this.position[0] + EMPTY.slice(1)));
    onClick("initial", () => this.set(initialOf(find("setup-variant").value)));
    onClick("setup-done", () => this.done());
    on("turn-side", "change", () => this.set(find("turn-side").value + this.position.slice(1)));
    on("fen", "keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.read(find("fen").value);
    });
    desk.addEventListener("change", () => {
      if (this.isOpen) this.open(true);
    });
  }

  /** The position being set up; null while nothing is edited. */
  get position() {
    return this.desk.draft;
  }

  open(isOpen) {
    const { desk } = this;
    const { node } = desk;
    this.isOpen = isOpen;
    desk.draft = null;
    // An unfinished set-up is still there, as long as the board shows the same position.
    if (isOpen && this.begun?.node !== node) find("setup-variant").value = desk.game.variant ?? "international";
    if (isOpen) this.set(this.begun?.node === node ? this.begun.position : node.position);
    else this.redraw();
  }

  set(position) {
    this.desk.draft = position;
    this.begun = { node: this.desk.node, position };
    find("fen").value = fen(position);
    find("turn-side").value = position[0];
    this.complain("");
    this.redraw();
  }

  /** Says below the field what is wrong. */
  complain(text) {
    find("fen-problem").textContent = text;
    find("fen").setAttribute("aria-invalid", String(text !== ""));
  }

  put(square, piece) {
    const places = [...this.position];
    places[square] = piece;
    this.set(places.join(""));
  }

  pick(square) {
    const piece = find("piece").value;
    this.put(square, this.position[square] === piece ? "e" : piece);
  }

  canDrag(square) {
    return this.position[square] !== "e";
  }

  drag(from, to) {
    const piece = this.position[from];
    this.put(from, "e");
    if (to) this.put(to, piece);
  }

  /** Takes the position from the text, if it has one, in any form that the program reads. */
  async read(text) {
    const answer = await this.desk.engine.ask("fen", { fen: text, variant: find("setup-variant").value });
    // The user may have left the panel meanwhile.
    if (!this.position) return false;
    if (answer.fen) this.set(readFen(answer.fen));
    // Frisian's counters have no place on the board.
    const hasCounters = answer.fen?.includes("+");
    if (hasCounters) find("fen").value = answer.fen;
    const isRead = answer.fen && !(hasCounters && answer.fault);
    this.complain(isRead ? answer.warnings.join("; ") : t("badFen") + " (" + answer.fault + ")");
    return isRead;
  }

  /** The reason why the position cannot be played, or null. */
  get fault() {
    const { position } = this;
    if (/w/.test(position.slice(1, 6)) || /b/.test(position.slice(46, 51))) return t("manOnLastRow");
    if (!/w/i.test(position.slice(1)) || !/b/i.test(position.slice(1))) return t("bothSides");
    return null;
  }

  async done() {
    // Typed text counts even before it was taken over.
    const text = find("fen").value;
    if (text !== fen(this.position) && !(await this.read(text))) return;
    const { fault } = this;
    this.complain(fault ?? "");
    if (fault) return this.say(fault);
    const { position } = this;
    const more = { variant: find("setup-variant").value, start: find("fen").value };
    // The next click on the board plays.
    this.page.leave();
    this.desk.start(position, more);
    this.say(t("setUp"));
  }
}
