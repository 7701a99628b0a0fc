// The list of recent games: open, forget, and save all as PDN.

import { find, make, save } from "./dom.js";
import { problemText } from "./problem.js";
import { t } from "./texts.js";
import { Game } from "./tree.js";

/** Games in one question to the engine; all of them can be more than it takes at once. */
const PORTION = 500;

export class Recent {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   * @param {import("./keep.js").Keep} keep
   */
  constructor(desk, { say }, keep) {
    this.desk = desk;
    this.say = say;
    this.keep = keep;
    find("recent").addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("button");
      if (button) this.chosen(button.dataset.id, button.dataset.action);
    });
    find("save-all").addEventListener("click", () => this.saveAll());
  }

  async chosen(id, action) {
    const { archive } = this.keep;
    if (action === "forget") await archive.delete(id);
    else {
      const found = await archive.get(id);
      if (found) this.keep.bring(id, JSON.parse(found.kept));
    }
    this.draw();
  }

  async draw() {
    const { archive } = this.keep;
    const all = archive ? await archive.all() : [];
    const date = new Intl.DateTimeFormat(t.language, { dateStyle: "medium", timeStyle: "short" });
    const row = ({ id, when, title, count, plies }) =>
      make("li", {},
        make("button", { type: "button", "data-id": id, "data-action": "open" },
          title, " ", make("small", {}, [date.format(when), count > 1 ? t("gamesOf", { count }) : t("pliesOf", { plies })].join(" · "))),
        make("button", { type: "button", "data-id": id, "data-action": "forget", "aria-label": t("forget", { title }) }, "×"));
    find("recent").replaceChildren(...all.map(row));
    find("recent-part").hidden = all.length === 0;
  }

  /** All games of the archive as one file. */
  async saveAll() {
    try {
      await this.keep.save();
      const all = (await this.keep.archive.all()).flatMap(({ kept }) => JSON.parse(kept).games);
      let text = "";
      for (let first = 0; first < all.length; first += PORTION) {
        const games = all.slice(first, first + PORTION).map((record) => Game.read(record).write());
        text += await this.desk.engine.ask("pdn", {}, { body: JSON.stringify({ games }), media: "application/json" }) + "\n";
      }
      save("all-games.pdn", "text/plain", text);
    } catch (problem) {
      this.say(problemText(problem));
    }
  }
}
