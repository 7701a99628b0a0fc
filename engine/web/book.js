// The opening book's data about the position.

import { find, make } from "./dom.js";
import { problemText } from "./problem.js";
import { men, t } from "./texts.js";

const percent = (share) => Math.round(100 * share) + " %";

export class Book {
  constructor(desk, { follow }) {
    this.desk = desk;
    this.isOpen = false;
    find("book-moves").addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("button");
      if (button) follow(button.dataset.move);
    });
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
    try {
      const answer = await engine.ask("book", node.query);
      if (this.desk.node !== node) return;
      this.show(answer.in_book ? this.summary(answer) : t("notInBook"), answer.moves);
    } catch (problem) {
      if (this.desk.node === node) this.show(problemText(problem), []);
    }
  }

  /** The data about the position itself. */
  summary({ games, score, depth }) {
    return [
      games > 0 && t("bookGames", { games }),
      score != null && t("score") + " " + men(score),
      depth != null && t("bookDepth", { depth }),
    ].filter(Boolean).join(", ");
  }

  show(text, moves) {
    find("book-text").textContent = text;
    find("book-table").hidden = moves.length === 0;
    // A book made by search has no games.
    const hasGames = moves.some(({ games }) => games > 0);
    find("book-table").classList.toggle("narrow", !hasGames);
    for (const heading of find("book-table").querySelectorAll(".count")) heading.toggleAttribute("hidden", !hasGames);
    const row = ({ move, text, games, wins, draws, losses, score }) => {
      const share = (count) => (games ? percent(count / games) : "–");
      const button = make("button", { type: "button", "data-move": move }, text);
      const counts = hasGames ? [String(games), share(wins), share(draws), share(losses)] : [];
      const cells = [...counts, score == null ? "–" : men(score)];
      return make("tr", {}, make("th", { scope: "row" }, button), ...cells.map((cell) => make("td", {}, cell)));
    };
    find("book-moves").replaceChildren(...moves.map(row));
  }
}
