// Games from PDN files and back; positions as FEN, text and drawing.

import { fen } from "./board.js";
import { find, make, save } from "./dom.js";
import { problemText } from "./problem.js";
import { t } from "./texts.js";
import { Game } from "./tree.js";

/** The editable tags, by their PDN names. */
const TAGS = ["Event", "Date", "White", "Black"];

/** Longer texts are searched for exercises only on request. */
const LARGEST = 4_000_000;

/** The text after the players in the list of games. */
const extra = ({ tags, result }) =>
  [result === "*" ? "" : result, tags.get("Event"), tags.get("Date")].filter(Boolean).map((text) => ", " + text).join("");

export class Files {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   */
  constructor(desk, { say, flipped }) {
    this.desk = desk;
    this.say = say;
    this.flipped = flipped;
    /** The exercises in the opened games. @type {Answers["exercises"]["exercises"]} */
    this.exercises = [];
    /** Called with them when the user wants to solve them. @type {(exercises:
     * Answers["exercises"]["exercises"]) => void} */
    this.onSolve = () => {};
    const on = (id, event, action) => find(id).addEventListener(event, action);
    on("pdn-file", "change", async ({ target }) => {
      const [file] = target.files;
      if (file) this.read(new Uint8Array(await file.arrayBuffer()));
      target.value = "";
    });
    on("pdn-read", "click", () => this.read(find("pdn-text").value));
    on("games", "change", ({ target }) => desk.choose(desk.games[Number(target.value)]));
    on("games-search", "input", () => this.list());
    on("games-sort", "change", () => this.list());
    on("exercises-solve", "click", () => this.onSolve(this.exercises));
    on("save-pdn", "click", () => this.savePdn());
    on("show-pdn", "click", async () => (find("pdn-text").value = await this.pdn()));
    on("copy-fen", "click", () => this.copy(fen(desk.node.position)));
    on("save-svg", "click", () => this.saveDrawing());
    on("result", "change", ({ target }) => desk.edit(() => desk.game.decide(target.value)));
    for (const tag of TAGS) {
      on("tag-" + tag, "change", ({ target }) => {
        desk.edit(() => {
          if (target.value) desk.game.tags.set(tag, target.value);
          else desk.game.tags.delete(tag);
        });
      });
    }
    desk.addEventListener("change", () => this.draw());
  }

  /**
   * Opens the games of a PDN text, or of the bytes of a file in any encoding.
   * @param {string | Uint8Array<ArrayBuffer>} text
   */
  async read(text) {
    const problem = find("pdn-problem");
    problem.textContent = "";
    try {
      const { games, warnings } = await this.desk.engine.ask("games", { positions: false }, { body: text });
      if (games.length === 0) throw new Error([t("noGames"), ...warnings].join("; "));
      this.desk.open(games.map((record) => Game.read(record)));
      problem.textContent = warnings.slice(0, 5).join("; ");
      this.say(t("gamesRead", { count: games.length }));
      if (text.length <= LARGEST) await this.offer(text);
    } catch (error) {
      problem.textContent = problemText(error);
      this.say(problem.textContent);
    }
  }

  /**
   * Offers to solve the puzzles and mistakes of the opened games, if there are any.
   * @param {string | Uint8Array<ArrayBuffer>} text
   */
  async offer(text) {
    const { games } = this.desk;
    const { exercises } = await this.desk.engine.ask("exercises", {}, { body: text });
    if (this.desk.games !== games) return;
    this.exercises = exercises;
    this.solvable = games;
    this.draw();
  }

  /** All games as PDN. */
  pdn() {
    const games = this.desk.games.map((game) => game.write());
    const body = JSON.stringify({ games });
    return this.desk.engine.ask("pdn", {}, { body, media: "application/json" });
  }

  async savePdn() {
    const { desk } = this;
    const { edition } = desk;
    save("games.pdn", "text/plain", await this.pdn());
    // Edits made meanwhile are not in the file.
    if (desk.edition === edition) desk.saved();
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.say(t("copied", { text }));
    } catch {
      // Without permission the text is shown instead.
      this.say(text);
    }
  }

  async saveDrawing() {
    const query = { fen: this.desk.node.position, flip: this.flipped() || null, coordinates: "numbers" };
    save("board.svg", "image/svg+xml", await this.desk.engine.ask("board.svg", query));
  }

  /** Lists the games that match the search, in the chosen order. */
  list() {
    const { games, game, edition } = this.desk;
    this.games = games;
    this.edition = edition;
    for (const id of ["games-row", "games-find"]) find(id).hidden = games.length < 2;
    const words = find("games-search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const isFound = ({ text }) => words.every((word) => text.toLowerCase().includes(word));
    const by = find("games-sort").value;
    const rows = games.map((one, index) => ({ one, index, text: index + 1 + ". " + one.title + extra(one) }))
      .filter((row) => row.one === game || isFound(row));
    if (by !== "file") {
      const key = ({ one }) => (by === "result" ? one.result : one.tags.get(by) ?? "");
      const { compare } = new Intl.Collator(t.language, { numeric: true });
      const keyed = rows.map((row) => ({ row, key: key(row) }));
      keyed.sort((a, b) => compare(a.key, b.key) || a.row.index - b.row.index);
      rows.splice(0, rows.length, ...keyed.map(({ row }) => row));
    }
    find("games").replaceChildren(...rows.map(({ index, text }) => make("option", { value: index }, text)));
    if (game !== this.game) find("games").value = String(games.indexOf(game));
    this.game = game;
    const count = words.length ? rows.filter(isFound).length : games.length;
    find("games-count").textContent = t("gamesFound", { count, of: games.length });
  }

  draw() {
    const { games, game, node } = this.desk;
    // The list of thousands of games is not rebuilt at each step.
    const { edition } = this.desk;
    if (games !== this.games || edition !== this.edition) this.list();
    find("games").value = String(games.indexOf(game));
    const count = games === this.solvable ? this.exercises.length : 0;
    find("exercises-solve").hidden = count === 0;
    find("exercises-solve").textContent = t("exercisesSolve", { count });
    for (const tag of TAGS) find("tag-" + tag).value = game.tags.get(tag) ?? "";
    find("result").value = game.result;
    find("fen-now").textContent = fen(node.position);
  }
}
