// Setting up a position: the user places and drags pieces, or types a FEN.

import { fen, readFen } from "./board.js";
import { INITIAL } from "./desk.js";
import { find, radios } from "./dom.js";
import { t } from "./texts.js";

const EMPTY = "W" + "e".repeat(50);

export class Editor {
  /** leave: closes the panel. */
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   */
  constructor(desk, { say, redraw, leave }) {
    this.desk = desk;
    this.say = say;
    this.redraw = redraw;
    this.leave = leave;
    const on = (id, action) => find(id).addEventListener("click", action);
    on("clear", () => this.set(this.position[0] + EMPTY.slice(1)));
    on("initial", () => this.set(INITIAL));
    on("setup-done", () => this.done());
    for (const input of radios("turn")) {
      input.addEventListener("change", () => this.set(input.value + this.position.slice(1)));
    }
    find("fen-form").addEventListener("submit", (event) => {
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
    if (isOpen) this.set(this.begun?.node === node ? this.begun.position : node.position);
    else this.redraw();
  }

  set(position) {
    this.desk.draft = position;
    this.begun = { node: this.desk.node, position };
    find("fen").value = fen(position);
    find("turn-" + position[0]).checked = true;
    find("fen-problem").textContent = "";
    this.redraw();
  }

  put(square, piece) {
    const places = [...this.position];
    places[square] = piece;
    this.set(places.join(""));
  }

  pick(square) {
    const piece = radios("piece").find(({ checked }) => checked).value;
    this.put(square, this.position[square] === piece ? "e" : piece);
  }

  /** A piece is picked up: nothing changes on the board. */
  lift() {}

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
    const answer = await this.desk.engine.ask("fen", { fen: text });
    // The user may have left the panel meanwhile.
    if (!this.position) return false;
    if (answer.fen) this.set(readFen(answer.fen));
    const says = answer.fen ? answer.warnings.join("; ") : t("badFen") + " (" + answer.fault + ")";
    find("fen-problem").textContent = says;
    return Boolean(answer.fen);
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
    find("fen-problem").textContent = fault ?? "";
    if (fault) return this.say(fault);
    const { position } = this;
    // The next click on the board plays.
    this.leave();
    this.desk.start(position);
    this.say(t("setUp"));
  }
}
