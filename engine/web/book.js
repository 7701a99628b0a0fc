// What an opening book says about the position.

import { find, make } from "./dom.js";
import { t } from "./texts.js";

const percent = (share) => Math.round(100 * share) + " %";

export class Book {
  constructor(desk) {
    this.desk = desk;
    this.isOpen = false;
    find("book-moves").addEventListener("click", ({ target }) => this.follow(target.closest("button")));
    desk.addEventListener("change", () => this.renew());
  }

  /** The panel is seen, or not any more. */
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
      this.show(answer.in_book ? t("bookGames", { games: answer.games }) : t("notInBook"), answer.moves);
    } catch (problem) {
      this.show(t("problem", { what: problem.message }), []);
    }
  }

  show(text, moves) {
    find("book-text").textContent = text;
    find("book-table").hidden = moves.length === 0;
    const row = ({ move, text, games, wins, draws, losses, score }) => {
      const share = (count) => (games ? percent(count / games) : "–");
      const button = make("button", { type: "button", "data-move": move }, text);
      const value = score == null ? "–" : (score > 0 ? "+" : "") + score.toFixed(2);
      const cells = [String(games), share(wins), share(draws), share(losses), value];
      return make("tr", {}, make("th", { scope: "row" }, button), ...cells.map((cell) => make("td", {}, cell)));
    };
    find("book-moves").replaceChildren(...moves.map(row));
  }

  async follow(button) {
    if (!button) return;
    const { node } = this.desk;
    const { moves } = await this.desk.legal(node);
    const move = moves.find(({ move }) => move === button.dataset.move);
    if (move && this.desk.node === node) this.desk.play(move, { played: true });
  }
}
