// The opening book's data about the position.

import { find, make, onPart } from "../base/dom.js";
import { Part } from "../game/part.js";
import { whileSlow } from "../engine/engine.js";
import { problemText } from "../engine/problem.js";
import { men, t } from "../base/texts.js";

/** White's wins, draws and Black's wins as parts of a bar, in percent. @param {number[]} counts */
export const split = (counts) => {
  const all = counts.reduce((a, b) => a + b, 0);
  if (all === 0) return make("span", { class: "soft" }, "–");
  const shares = counts.map((count) => Math.round((100 * count) / all));
  const words = ["side.W", "value.draw", "side.B"].map((key, index) => t(key) + " " + shares[index] + " %").join(", ");
  return make("span", { class: "split", role: "img", "aria-label": words, title: words },
    ...shares.map((share) => make("i", { style: `--v:${share}` }, share > 9 ? String(share) : "")));
};

export class Book extends Part {
  constructor(desk, page) {
    super(desk, page);
    this.isOpen = false;
    onPart("book-moves", "tr", (row) => page.follow(row.dataset.move));
    desk.addEventListener("change", () => this.renew());
  }

  /** The panel is shown or hidden. */
  open(isOpen) {
    this.isOpen = isOpen;
    this.renew();
  }

  async renew() {
    if (!this.isOpen) return;
    const { node, engine } = this.desk;
    if (!engine.about.has_book) return this.show(t("noBook"), []);
    // A site without a server fetches its engine first.
    const slow = () => this.desk.node === node && this.show(t("loading"), []);
    try {
      const answer = await whileSlow(engine.ask("book", node.query), slow);
      if (this.desk.node !== node) return;
      this.show(answer.in_book ? this.summary(answer) : t("notInBook"), answer.moves);
    } catch (problem) {
      if (this.desk.node === node) this.show(problemText(problem), []);
    }
  }

  /** The data about the position itself. @param {Answers["book"]} answer */
  summary({ games, score, depth }) {
    return [
      games > 0 && t("bookGames", { games }),
      score != null && t("score") + " " + men(score),
      depth != null && t("bookDepth", { depth }),
    ].filter(Boolean).join(", ");
  }

  show(text, moves) {
    find("book-text").textContent = text;
    find("book-table").classList.toggle("none", moves.length === 0);
    find("book-none").hidden = moves.length > 0;
    // A book made by search has no games.
    const hasGames = moves.some(({ games }) => games > 0);
    for (const heading of find("book-table").querySelectorAll(".count")) heading.toggleAttribute("hidden", !hasGames);
    const isWhite = this.desk.node.position[0] === "W";
    const row = ({ move, text, games, wins, draws, losses, score }) => {
      const counts = hasGames ? [make("td", { class: "r" }, games.toLocaleString(t.language)), make("td", {}, split(isWhite ? [wins, draws, losses] : [losses, draws, wins]))] : [];
      return make("tr", { "data-move": move },
        make("th", { scope: "row" }, make("button", { type: "button", class: "m" }, text)), ...counts,
        make("td", { class: "r" }, score == null ? "–" : men(score)));
    };
    find("book-moves").replaceChildren(...moves.map(row));
  }
}
