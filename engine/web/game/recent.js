// The list of recent games: open, forget, and save all as PDN.

import { find, iconButton, make, onClick, onPart, save } from "../base/dom.js";
import { problemText } from "../engine/problem.js";
import { t } from "../base/texts.js";
import { Part } from "./part.js";
import { Game } from "./tree.js";

/** Games in one question to the engine; all of them can be more than it takes at once. */
const PORTION = 500;
/** Games beside the choices for a new one. */
const FEW = 3;

export class Recent extends Part {
  /** @param {import("./keep.js").Keep} keep */
  constructor(desk, page, keep) {
    super(desk, page);
    this.keep = keep;
    for (const list of /** @type {const} */ (["recent", "recent-few"])) {
      onPart(list, "li", ({ dataset }, target) => this.chosen(dataset.id, target.closest("[data-action=forget]") !== null));
    }
    onClick("save-all", () => this.saveAll());
  }

  async chosen(id, isForgotten) {
    const { archive } = this.keep;
    if (isForgotten) {
      await archive.delete(id);
      return this.draw();
    }
    const found = await archive.get(id);
    if (!found) return this.draw();
    this.keep.bring(id, JSON.parse(found.kept));
    this.page.open(this.desk.task("play") ? "play" : "analysis");
  }

  async draw() {
    const { archive } = this.keep;
    const all = archive ? await archive.all() : [];
    const date = new Intl.DateTimeFormat(t.language, { dateStyle: "medium", timeStyle: "short" });
    const row = ({ id, when, title, count, plies, result = "*" }) =>
      make("li", { "data-id": id },
        make("button", { type: "button", class: "grow plain" }, make("b", {}, title), make("br"),
          make("span", { class: "soft small" }, [date.format(when), count > 1 ? t("gamesOf", { count }) : t("pliesOf", { plies })].join(" · "))),
        make("b", {}, result === "*" ? "" : result), iconButton("trash", t("forget", { title }), { "data-action": "forget" }));
    find("recent").replaceChildren(...all.map(row));
    find("recent-part").hidden = all.length === 0;
    // The last games against the engine; the one on the board is not brought back.
    const few = all.filter(({ id, level }) => level && id !== this.keep.id).slice(0, FEW);
    /** @param {import("./archive.js").Kept} kept */
    const one = ({ id, plies, result = "*", level, side, isRunning }) =>
      make("li", { "data-id": id }, make("span", { class: "disc s" + (side === "B" ? " b" : "") }),
        make("button", { type: "button", class: "grow plain" }, make("b", {}, level), " ",
          make("span", { class: "soft small" }, t("movesOf", { moves: Math.ceil(plies / 2) }))),
        isRunning ? make("span", { class: "chip on" }, t("resume")) : make("b", {}, result));
    find("recent-few").replaceChildren(...few.map(one));
    find("play-recent").hidden = few.length === 0;
  }

  /** All games of the archive as one file. */
  async saveAll() {
    try {
      await this.keep.save();
      const all = (await this.keep.archive.all()).flatMap(({ kept }) => JSON.parse(kept).games);
      let text = "";
      for (let first = 0; first < all.length; first += PORTION) {
        text += await this.desk.engine.write(all.slice(first, first + PORTION).map((record) => Game.read(record))) + "\n";
      }
      save("all-games.pdn", "text/plain", text);
    } catch (problem) {
      this.say(problemText(problem));
    }
  }
}
