// Games from PDN files and back; positions as FEN, text and drawing.

import { fen } from "../board/board.js";
import { find, make, on, onClick, onPart, save } from "../base/dom.js";
import { problemText } from "../engine/problem.js";
import { t } from "../base/texts.js";
import { Part } from "./part.js";
import { Game } from "./tree.js";

/** The editable tags, by their PDN names. */
const TAGS = /** @type {const} */ (["Event", "Date", "White", "Black"]);

/** Longer texts are searched for exercises only on request. */
const LARGEST = 4_000_000;

/** Games of a page of the list. */
const PAGE = 50;

export class Files extends Part {
  constructor(desk, page) {
    super(desk, page);
    /** The exercises in the opened games. @type {Answers["exercises"]["exercises"]} */
    this.exercises = [];
    /** The first game that the list shows. */
    this.skip = 0;
    this.sort = "file";
    on("pdn-file", "change", async ({ target }) => {
      const [file] = target.files;
      if (file) await this.readFile(file);
      target.value = "";
    });
    onClick("open-file", () => find("pdn-file").click());
    onClick("pdn-read", () => this.read(find("pdn-text").value));
    onPart("games", "tr", (row) => desk.choose(desk.games[Number(row.dataset.game)]));
    onPart("games-sort", "button", ({ dataset: { sort } }) => {
      this.sort = this.sort === sort ? "file" : sort;
      this.list(true);
    });
    on("games-search", "input", () => this.list(true));
    onClick("games-earlier", () => this.turn(-PAGE));
    onClick("games-later", () => this.turn(PAGE));
    on("game-source", "change", () => page.open("game"));
    onClick("save-pdn", () => this.savePdn());
    onClick("copy-pdn", async () => this.copy(await this.pdn(), "PDN"));
    onClick("copy-fen", () => this.copy(fen(desk.node.position)));
    onClick("save-svg", () => this.saveDrawing());
    on("result", "change", () => desk.edit(() => desk.game.decide(find("result").value)));
    // A dropped file opens anywhere; the page of games takes its own.
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      const isTaken = /** @type {Element} */ (event.target).closest("#database");
      if (file && !isTaken) this.readFile(file);
    });
    // So does a pasted game.
    document.addEventListener("paste", (event) => {
      const target = /** @type {Element} */ (event.target);
      const text = event.clipboardData.getData("text/plain");
      if (!target.closest("input, textarea") && /\d\s*[-x]\s*\d/.test(text)) this.read(text);
    });
    for (const tag of TAGS) {
      on(`tag-${tag}`, "change", ({ target: { value } }) => desk.edit(() => (value ? desk.game.tags.set(tag, value) : desk.game.tags.delete(tag))));
    }
    desk.addEventListener("change", () => this.draw());
  }

  /** The source of the tab: the games of this file, or all. */
  get source() {
    return find("game-source").value;
  }

  /** The tab is shown or hidden. */
  open(isOpen) {
    const isFile = this.source === "file";
    for (const id of ["games-find", "games-table", "games-steps", "exercises-solve"]) find(id).classList.toggle("none", !isFile);
    find("tree-here").hidden = isFile;
    if (isOpen) this.list();
  }

  /** Asks for a file or a text. */
  ask() {
    find("pdn-problem").textContent = "";
    find("open").showModal();
  }

  /** @param {File} file */
  async readFile(file) {
    await this.read(new Uint8Array(await file.arrayBuffer()), file.name);
  }

  /**
   * Opens the games of a PDN text, or of the bytes of a file in any encoding.
   * @param {string | Uint8Array<ArrayBuffer>} text
   */
  async read(text, name = "") {
    const problem = find("pdn-problem");
    problem.textContent = "";
    find("open").setAttribute("aria-busy", "true");
    try {
      const { games, warnings } = await this.desk.engine.ask("games", { positions: false }, { body: text, name: name || "PDN" });
      if (games.length === 0) throw new Error([t("noGames"), ...warnings].join("; "));
      this.desk.open(games.map((record) => Game.read(record)));
      problem.textContent = warnings.slice(0, 5).join("; ");
      find("open").close();
      if (["learn", "database", "play", "setup"].includes(document.body.dataset.state)) this.page.open("analysis");
      if (games.length > 1) this.page.open("game");
      this.say([t("gamesRead", { count: games.length }), ...warnings.slice(0, 1).map((one) => (name && name + ": ") + one)].join(". "));
      if (text.length <= LARGEST) await this.offer(text);
    } catch (error) {
      problem.textContent = problemText(error);
      this.say((name && name + ": ") + problem.textContent);
    } finally {
      find("open").removeAttribute("aria-busy");
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
    return this.desk.engine.write(this.desk.games, "PDN");
  }

  /** Puts the game on the board into the user's games. */
  async saveMine() {
    const { engine, game } = this.desk;
    const { added } = await engine.add(await engine.write([game]), game.title);
    this.say(t(added ? "savedMine" : "knownMine"));
  }

  async savePdn() {
    const { desk } = this;
    const { edition } = desk;
    save("games.pdn", "text/plain", await this.pdn());
    // Edits made meanwhile are not in the file.
    if (desk.edition === edition) desk.saved();
  }

  async copy(text, name = text) {
    try {
      await navigator.clipboard.writeText(text);
      this.say(t("copied", { text: name }));
    } catch {
      // Without permission the text is shown instead.
      this.say(text);
    }
  }

  async saveDrawing() {
    const query = { fen: this.desk.node.position, flip: this.page.flipped() || null, coordinates: "numbers" };
    save("board.svg", "image/svg+xml", await this.desk.engine.ask("board.svg", query));
  }

  turn(step) {
    this.skip = Math.max(0, this.skip + step);
    this.list();
  }

  /** Lists the games that match the search, in the chosen order; from the first one if that has changed. */
  list(isChanged = false) {
    const { games, game, edition } = this.desk;
    if (isChanged || games !== this.games) this.skip = 0;
    this.games = games;
    this.edition = edition;
    const heads = [["White", "side.W"], ["Black", "side.B"], ["result", "resultLabel"], ["Date", "date"]];
    find("games-sort").replaceChildren(...heads.map(([by, name]) =>
      make("th", { scope: "col", "aria-sort": this.sort === by && "ascending" }, make("button", { type: "button", class: "sort", "data-sort": by }, t(name)))));
    const words = find("games-search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const isFound = (one) => {
      const text = [one.title, one.result, one.tags.get("Event") ?? "", one.tags.get("Date") ?? ""].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const rows = [...games.entries()].filter(([, one]) => isFound(one));
    const { compare } = new Intl.Collator(t.language, { numeric: true });
    const keyOf = ([, one]) => (this.sort === "result" ? one.result : one.tags.get(this.sort) ?? "");
    if (this.sort !== "file") rows.sort((a, b) => compare(keyOf(a), keyOf(b)));
    // A newly opened game is seen.
    const place = rows.findIndex(([, one]) => one === game);
    if (game !== this.game && place >= 0) this.skip = PAGE * Math.floor(place / PAGE);
    this.game = game;
    const name = (one, tag) => one.tags.get(tag) || "?";
    const row = ([index, one]) => make("tr", { "data-game": index, "aria-selected": String(one === game) },
      make("td", { class: "cut" }, make("button", { type: "button", class: "plain" }, name(one, "White"))), make("td", { class: "cut" }, name(one, "Black")),
      make("td", {}, make("b", {}, one.result)), make("td", { class: "cut" }, one.tags.get("Date") ?? ""));
    const shown = rows.slice(this.skip, this.skip + PAGE);
    find("games").replaceChildren(...shown.map(row));
    find("games-count").textContent = t("gamesFound", { count: rows.length, of: games.length });
    find("games-shown").textContent = rows.length > PAGE ? t("gamesFound", { count: `${this.skip + 1}–${this.skip + shown.length}`, of: rows.length }) : "";
    find("games-steps").hidden = rows.length <= PAGE;
    find("games-earlier").disabled = this.skip === 0;
    find("games-later").disabled = this.skip + PAGE >= rows.length;
  }

  draw() {
    const { games, game, node, edition } = this.desk;
    // The list of thousands of games is not rebuilt at each step.
    if (games !== this.games || edition !== this.edition || game !== this.game) this.list();
    const count = games === this.solvable ? this.exercises.length : 0;
    find("exercises-solve").hidden = count === 0;
    find("exercises-solve").querySelector("span").textContent = t("exercisesSolve", { count });
    for (const tag of TAGS) find("tag-" + tag).value = game.tags.get(tag) ?? "";
    find("result").value = game.result;
    find("fen-now").textContent = fen(node.position);
  }
}
