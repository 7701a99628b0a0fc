// Sheets of diagrams with captions, for printing: positions are collected, six or twelve to a page.

import { find, iconButton, make, on, onClick, onPart } from "../base/dom.js";
import { keep, kept } from "../base/kept.js";
import { isPosition } from "../board/board.js";
import { figure } from "../board/figure.js";
import { Part } from "../game/part.js";
import { t } from "../base/texts.js";

const KEPT = "diagrams";
/** The most diagrams of an exercise sheet. */
const MOST = 240;

/** A position with its caption. @typedef {{ position: string, flipped: boolean, caption: string }} Diagram */

export class Diagrams extends Part {
  constructor(desk, page) {
    super(desk, page);
    const before = [kept(KEPT) ?? []].flat();
    /** @type {Diagram[]} */
    this.list = before.filter((one) => isPosition(one?.position) && typeof one.caption === "string");
    onClick("diagram-add", () => {
      if (this.list.length >= MOST) return this.say(t("diagramsFull", { most: MOST }));
      const { node } = desk;
      const caption = node.comment.replace(/\s+/g, " ") || t("toMove." + node.position[0]);
      this.list.push({ position: node.position, flipped: page.flipped(), caption });
      this.changed();
      this.say(t("diagramAdded", { number: this.list.length }));
    });
    onClick("diagrams-clear", () => {
      this.list = [];
      this.changed();
    });
    onClick("diagrams-print", () => this.print());
    onPart("diagrams", "button", ({ dataset }) => {
      this.list.splice(Number(dataset.place), 1);
      this.changed();
    });
    on("diagrams", "change", ({ target: { dataset, value } }) => {
      this.list[Number(dataset.place)].caption = value;
      keep(KEPT, this.list);
    });
    addEventListener("afterprint", () => this.close());
    this.draw();
  }

  changed() {
    keep(KEPT, this.list);
    this.draw();
  }

  /** The list, with fields for the captions. */
  draw() {
    const row = ({ caption }, place) => {
      const name = t("caption", { number: place + 1 });
      const field = make("input", { class: "input grow", "data-place": place, "aria-label": name, autocomplete: "off", maxlength: 200 });
      field.value = caption;
      const label = t("delete") + ": " + name;
      return make("li", { class: "row" }, field, iconButton("trash", label, { "data-place": place }));
    };
    find("diagrams").replaceChildren(...this.list.map(row));
    find("diagrams-print").disabled = find("diagrams-clear").disabled = this.list.length === 0;
  }

  /** Lays the sheets out, page by page, and has the browser print them. */
  print() {
    const perPage = Number(find("diagrams-page").value);
    const figures = this.list.map(({ caption, ...shown }, place) => figure(shown, place + 1 + ". " + caption));
    const pages = [];
    for (let place = 0; place < figures.length; place += perPage) {
      pages.push(make("section", { class: "of-" + perPage }, ...figures.slice(place, place + perPage)));
    }
    find("diagrams-dialog").close();
    find("sheets").replaceChildren(...pages);
    find("sheets").hidden = false;
    document.body.dataset.print = "diagrams";
    print();
  }

  close() {
    find("sheets").hidden = true;
    find("sheets").replaceChildren();
    delete document.body.dataset.print;
  }
}
