// Games of a database: found by player, event, years, result, the position on the board or a pattern
// drawn there; and the moves played in the position. The server answers from its file, or, on a site
// without one, the page itself (collection.js).

import { squares } from "./board.js";
import { find, make, radios } from "./dom.js";
import { problemText } from "./problem.js";
import { t } from "./texts.js";
import { Game } from "./tree.js";

/** Games of a page. */
const PAGE = 50;
/** Milliseconds from a key to the request for games. */
const PAUSE = 150;
const EMPTY = "W" + "e".repeat(50);
/** The kinds of marks of a pattern, with their colours on the board. */
const MARKS = { must: "win", "one-of": "draw", not: "loss" };
/** The fields of the form, by their parameters. */
const FIELDS = {
  player: "db-player", opponent: "db-opponent", event: "db-event", years: "db-years", result: "db-result",
  min_rating: "db-rating", length: "db-length", manoeuvre: "db-manoeuvre", sort: "db-sort",
};

export class Database {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   */
  constructor(desk, { say, redraw, follow }) {
    this.desk = desk;
    this.say = say;
    this.redraw = redraw;
    this.isOpen = false;
    this.skip = 0;
    /** Ends the questions that are no longer wanted. */
    this.asking = new AbortController();
    /** The pattern: kind and piece of each marked square. @type {Map<number, { kind: string, piece: string }>} */
    this.pattern = new Map();
    const on = (id, event, action) => find(id).addEventListener(event, action);
    for (const id of Object.values(FIELDS)) on(id, "input", () => this.soon());
    for (const id of ["db-here", "db-twin"]) on(id, "change", () => this.renew());
    on("db-form", "submit", (event) => event.preventDefault());
    on("db-draw", "click", () => this.draw(!this.isDrawing));
    on("db-clear", "click", () => {
      this.pattern.clear();
      this.redraw();
      this.renew();
    });
    on("db-earlier", "click", () => this.turn(-PAGE));
    on("db-later", "click", () => this.turn(PAGE));
    on("db-games", "click", ({ target }) => {
      const button = target.closest("button");
      if (button) this.load(Number(button.dataset.game), Number(button.dataset.at));
    });
    on("db-moves", "click", ({ target }) => {
      const button = target.closest("button");
      if (button) follow(button.dataset.move);
    });
    on("db-file", "change", async ({ target }) => {
      for (const file of target.files) await this.add(file);
      target.value = "";
    });
    on("database", "dragover", (event) => event.preventDefault());
    on("database", "drop", async (event) => {
      event.preventDefault();
      for (const file of event.dataTransfer.files) await this.add(file);
    });
    desk.addEventListener("change", () => {
      this.skip = 0;
      this.renew();
    });
  }

  /** The panel is shown or hidden. */
  open(isOpen) {
    this.isOpen = isOpen;
    if (!isOpen) this.draw(false);
    this.renew();
  }

  /** Whether the board shows the pattern, and its squares are marked. */
  get isDrawing() {
    return find("db-draw").getAttribute("aria-pressed") === "true";
  }

  draw(isOn) {
    find("db-draw").setAttribute("aria-pressed", String(isOn));
    find("db-pattern").hidden = !isOn;
    this.redraw();
    if (this.isOpen) this.renew();
  }

  /** The pattern on the board. */
  get shown() {
    const places = [...EMPTY];
    const marks = {};
    const names = {};
    for (const [square, { kind, piece }] of this.pattern) {
      places[square] = piece;
      marks[square] = MARKS[kind];
      names[square] = kind;
    }
    return { position: places.join(""), marks, names };
  }

  /** Marks a square, or removes its mark. */
  pick(square) {
    const chosen = (name) => radios(name).find(({ checked }) => checked).value;
    const mark = { kind: chosen("db-kind"), piece: chosen("db-piece") };
    const before = this.pattern.get(square);
    if (before?.kind === mark.kind && before.piece === mark.piece) this.pattern.delete(square);
    else this.pattern.set(square, mark);
    this.redraw();
    this.skip = 0;
    this.soon();
  }

  canDrag() {
    return false;
  }

  /** No piece is picked up while a pattern is drawn. */
  lift() {}

  drag() {}

  /** The pattern in the words of docs/games.md. */
  get words() {
    const list = (wanted) => {
      const words = {};
      for (const [square, { kind, piece }] of this.pattern) {
        if (kind === wanted) (words[piece === "e" ? "." : piece] ??= []).push(square);
      }
      return Object.entries(words).map(([piece, list]) => piece + list.join(",")).join(" ");
    };
    return Object.keys(MARKS).map((kind) => [kind, list(kind)]).filter(([, words]) => words).flat().join(" ");
  }

  get query() {
    const query = {};
    for (const [name, id] of Object.entries(FIELDS)) {
      const value = find(id).value.trim();
      if (value) query[name] = value;
    }
    if (find("db-twin").checked) query.twin = "true";
    return query;
  }

  soon() {
    clearTimeout(this.timer);
    this.skip = 0;
    this.timer = setTimeout(() => this.renew(), PAUSE);
  }

  turn(step) {
    this.skip = Math.max(0, this.skip + step);
    this.renew();
  }

  /** Asks for the games and the tree. */
  async renew() {
    clearTimeout(this.timer);
    this.asking.abort();
    if (!this.isOpen) return;
    const { engine, node } = this.desk;
    const { has_games: hasGames, takes_games: takesGames } = engine.about;
    find("db-form").hidden = find("db-list").hidden = find("db-tree").hidden = !hasGames;
    find("db-add").hidden = !takesGames;
    if (!hasGames) {
      find("db-count").textContent = t("noGamesFile");
      return;
    }
    this.asking = new AbortController();
    const { signal } = this.asking;
    const { sort, ...conditions } = this.query;
    const position = find("db-here").checked && !this.isDrawing ? node.position : "";
    const list = { ...conditions, sort, position, pattern: this.words, skip: this.skip, limit: PAGE };
    try {
      const [found, tree] = await Promise.all([
        engine.ask("games/find", list, { signal }),
        engine.ask("games/tree", { ...conditions, fen: node.position }, { signal }),
      ]);
      this.show(found);
      this.showTree(tree);
    } catch (problem) {
      if (!signal.aborted) find("db-count").textContent = problemText(problem);
    }
  }

  show({ total, games }) {
    const last = this.skip + games.length;
    find("db-count").textContent = total > games.length
      ? t("gamesFound", { count: `${this.skip + 1}–${last}`, of: total })
      : t("gamesOf", { count: total });
    find("db-earlier").disabled = this.skip === 0;
    find("db-later").disabled = last >= total;
    find("db-table").hidden = games.length === 0;
    const row = ({ game, white, black, result, date, event, plies, at }) => {
      const open = make("button", { type: "button", "data-game": game, "data-at": at[0] ?? 0 }, white + " – " + black);
      const cells = [result, date, event, String(plies)];
      return make("tr", {}, make("th", { scope: "row" }, open), ...cells.map((cell) => make("td", {}, cell)));
    };
    find("db-games").replaceChildren(...games.map(row));
  }

  showTree({ moves }) {
    const percent = (share) => (share == null ? "–" : Math.round(100 * share) + " %");
    find("db-tree").hidden = moves.length === 0;
    const row = ({ move, games, share, rating, first_year: first, last_year: last }) => {
      const years = first === last ? String(first ?? "–") : first + "–" + last;
      const button = make("button", { type: "button", "data-move": move }, squares(move).slice(0, 2).join(move.includes("x") ? "x" : "-"));
      const cells = [String(games), percent(share), rating == null ? "–" : String(Math.round(rating)), years];
      return make("tr", {}, make("th", { scope: "row" }, button), ...cells.map((cell) => make("td", {}, cell)));
    };
    find("db-moves").replaceChildren(...moves.map(row));
  }

  /** Puts a game on the desk, at the ply where it was found. */
  async load(game, at) {
    const { desk } = this;
    const { games } = await desk.engine.ask("games/game", { game }, { isAwaited: true });
    this.draw(false);
    desk.open(games.map((record) => Game.read(record)));
    desk.go(desk.game.root.line()[at]);
    this.say(t("gamesRead", { count: games.length }));
  }

  /** Adds the games of a file. */
  async add(file) {
    find("db-added").textContent = "";
    try {
      const body = new Uint8Array(await file.arrayBuffer());
      const { games, added, problems } = await this.desk.engine.ask("games/import", {}, { body });
      find("db-added").textContent = [t("gamesAdded", { games, added }), ...problems.slice(0, 5)].join("; ");
    } catch (problem) {
      find("db-added").textContent = problemText(problem);
    }
    this.renew();
  }
}
