// Games of a database: found by player, event, years, result, the position on the board or a pattern
// drawn there; and the moves played in the position. The server answers from its file, or, on a site
// without one, the page itself (collection.js).

import { EMPTY, short } from "../board/board.js";
import { find, icon, iconButton, make, on, onClick, onPart } from "../base/dom.js";
import { whileSlow } from "../engine/engine.js";
import { Part } from "../game/part.js";
import { openPop } from "../base/pops.js";
import { pieceOptions } from "../board/figure.js";
import { split } from "./book.js";
import { problemText } from "../engine/problem.js";
import { t } from "../base/texts.js";
import { Game } from "../game/tree.js";

/** Games of a page. */
const PAGE = 50;
/** Milliseconds from a key to the request for games. */
const PAUSE = 150;
/** The kinds of marks of a pattern. */
const KINDS = ["must", "one-of", "not"];
/** The fields of the form, by their parameters. */
const FIELDS = /** @type {const} */ ({
  player: "db-player", opponent: "db-opponent", event: "db-event", years: "db-years", variant: "db-variant", result: "db-result",
  color: "db-color", min_rating: "db-rating", length: "db-length", manoeuvre: "db-manoeuvre",
});
/** The filters that are offered or set as chips: their fields and names. */
const CHIPS = {
  here: "withPosition", color: "playerSide", event: "event", years: "years", variant: "variant", result: "resultLabel", rating: "minRating", length: "lengthInPlies",
  manoeuvre: "manoeuvre", twin: "withTwin",
};
/** The columns that the list can be sorted by; the first order is that of the file. */
const SORTS = [["white", "side.W"], ["black", "side.B"], ["", "resultLabel"], ["date", "year"], ["event", "event"], ["length", "moves"]];
/** The columns that phones have no room for. */
const WIDE = ["event", "length"];

export class Database extends Part {
  /** @param {import("../game/files.js").Files} files */
  constructor(desk, page, files) {
    super(desk, page);
    this.files = files;
    /** Whether the page is shown, or the moves of all games beside the board. */
    this.isOpen = false;
    this.isBeside = false;
    this.sort = "number";
    this.skip = 0;
    /** Ends the questions that are no longer wanted. */
    this.asking = new AbortController();
    /** The pattern: kind and piece of each marked square. @type {Map<number, { kind: string, piece: string }>} */
    this.pattern = new Map();
    find("db-piece").append(...pieceOptions({ w: "whiteMan", W: "whiteKing", b: "blackMan", B: "blackKing", e: "empty" }));
    find("db-piece").value = "w";
    for (const id of Object.values(FIELDS)) {
      on(id, "input", () => this.soon());
      on(id, "change", () => this.soon());
    }
    on("db-opponent-s", "input", () => {
      find("db-opponent").value = find("db-opponent-s").value;
      this.soon();
    });
    for (const id of /** @type {const} */ (["db-here", "db-twin"])) on(id, "change", () => this.soon());
    on("db-form", "submit", (event) => event.preventDefault());
    onPart("db-chips", "button", (chip) => this.chip(chip.dataset.chip, chip.matches(".on")));
    onPart("db-none", "button", (chip) => this.chip(chip.dataset.chip, true));
    onPart("db-sorts", "button", ({ dataset: { sort } }) => {
      this.sort = this.sort === sort ? "number" : sort;
      this.soon();
    });
    onClick("db-draw", () => this.draw(!this.isDrawing));
    onClick("db-clear", () => {
      this.pattern.clear();
      this.redraw();
      this.renew();
    });
    onClick("db-earlier", () => this.turn(-PAGE));
    onClick("db-later", () => this.turn(PAGE));
    onPart("db-games", "tr", ({ dataset: { game, at } }, target) => (target.closest("[data-merge]") ? this.merge(Number(game)) : this.load(Number(game), Number(at))));
    onPart("db-moves", "tr", (row) => page.follow(row.dataset.move));
    on("db-side", "change", () => this.turnSide());
    onClick("db-forget", async () => {
      if (!confirm(t("forgetMineSure"))) return;
      await desk.engine.connection.collection.forget();
      this.renew();
    });
    for (const id of /** @type {const} */ (["db-add", "db-choose"])) onClick(id, () => find("db-file").click());
    on("db-file", "change", async ({ target }) => {
      await this.addAll([...target.files]);
      target.value = "";
    });
    on("database", "dragover", (event) => {
      event.preventDefault();
      find("db-drop").classList.add("over");
    });
    on("database", "dragleave", () => find("db-drop").classList.remove("over"));
    on("database", "drop", (event) => {
      event.preventDefault();
      find("db-drop").classList.remove("over");
      this.addAll([...event.dataTransfer.files]);
    });
    desk.addEventListener("change", () => {
      this.skip = 0;
      this.renew();
    });
  }

  /** The page is shown or hidden; or only the moves of all games, beside the board. */
  open(isOpen, isBeside) {
    this.isOpen = isOpen;
    this.isBeside = isBeside;
    find(isBeside ? "tree-here" : "tree-page").append(find("db-tree"));
    if (!isOpen) this.draw(false);
    this.turnSide();
    this.renew();
  }

  /** A phone shows either the moves or the games. */
  turnSide() {
    const isGames = find("db-side").value === "games";
    find("db-list").classList.toggle("hide-s", !isGames);
    find("tree-page").classList.toggle("hide-s", isGames);
  }

  /** Whether the board shows the pattern, and its squares are marked. */
  get isDrawing() {
    return find("db-draw").ariaPressed === "true";
  }

  draw(isOn) {
    find("db-draw").ariaPressed = String(isOn);
    find("db-pattern").hidden = !isOn;
    this.redraw();
    if (this.isOpen) this.renew();
  }

  /** Sets a filter, opens its field, or takes it away. */
  chip(name, isSet) {
    if (name === "pattern") {
      if (isSet) this.pattern.clear();
      return this.draw(!isSet);
    }
    const field = /** @type {any} */ (find("db-" + name));
    if (field.type === "checkbox") field.checked = !isSet;
    else if (isSet) field.value = "";
    else {
      openPop(find("filter-pop"), find("db-filter").getBoundingClientRect());
      (field.querySelector?.("[tabindex='0']") ?? field).focus();
    }
    if (name === "opponent") find("db-opponent-s").value = find("db-opponent").value;
    this.soon();
  }

  /** The filters that are set, with their words. @returns {[string, string][]} */
  get filters() {
    const set = Object.entries(CHIPS).flatMap(([name, key]) => {
      const field = /** @type {any} */ (find("db-" + name));
      if (field.type === "checkbox") return field.checked ? [[name, t(key)]] : [];
      const value = field.value.trim();
      if (name === "color") return value ? [[name, `${t(key)}: ${t("side." + { white: "W", black: "B" }[value])}`]] : [];
      if (name === "variant" && value) return [[name, t("variant." + value)]];
      return value ? [[name, ["event", "years", "result"].includes(name) ? value : `${t(key)}: ${value}`]] : [];
    });
    return /** @type {any} */ ([...set, ...(this.pattern.size ? [["pattern", t("patternOnBoard")]] : [])]);
  }

  drawChips() {
    const { filters } = this;
    const names = filters.map(([name]) => name);
    const button = (name, text, isSet) => make("button", { type: "button", class: isSet ? "chip on" : "chip", "data-chip": name }, text, ...(isSet ? [icon("close")] : []));
    const offers = /** @type {[string, string][]} */ ([["here", "withPosition"], ["years", "years"], ["event", "event"], ["result", "resultLabel"], ["pattern", "patternOnBoard"]]);
    const focused = /** @type {HTMLElement} */ (document.activeElement)?.dataset?.chip;
    const chips = () => filters.map(([name, text]) => button(name, text, true));
    find("db-chips").replaceChildren(...chips(), ...offers.filter(([name]) => !names.includes(name)).map(([name, key]) => button(name, t(key), false)));
    if (focused) /** @type {HTMLElement} */ (find("db-chips").querySelector(`[data-chip="${focused}"]`))?.focus();
    find("db-filters").textContent = filters.length ? String(filters.length) : "";
    find("db-none").replaceChildren(make("p", {}, t("noGameFits")), make("div", { class: "row wrapped" }, ...chips()));
    const heads = SORTS.map(([sort, name]) => make("th", {
      scope: "col", class: [WIDE.includes(sort) && "hide-s", { length: "r", date: "r", "": "c" }[sort]].filter(Boolean).join(" ") || false,
      "aria-sort": sort !== "" && this.sort === sort && "ascending",
    }, sort ? make("button", { type: "button", class: "sort", "data-sort": sort }, t(name)) : t(name)));
    find("db-sorts").replaceChildren(...heads);
  }

  /** The pattern on the board. */
  get shown() {
    const places = [...EMPTY];
    const marks = {};
    for (const [square, { kind, piece }] of this.pattern) {
      places[square] = piece;
      marks[square] = kind;
    }
    return { position: places.join(""), marks };
  }

  /** Marks a square, or removes its mark. */
  pick(square) {
    const mark = { kind: find("db-kind").value, piece: find("db-piece").value };
    const before = this.pattern.get(square);
    if (before?.kind === mark.kind && before.piece === mark.piece) this.pattern.delete(square);
    else this.pattern.set(square, mark);
    this.redraw();
    this.skip = 0;
    this.soon();
  }

  /** The pattern in the words of docs/games.md. */
  get words() {
    const list = (wanted) => {
      const words = {};
      for (const [square, { kind, piece }] of this.pattern) {
        if (kind === wanted) (words[piece === "e" ? "." : piece] ??= []).push(square);
      }
      return Object.entries(words).map(([piece, list]) => piece + list.join(",")).join(" ");
    };
    return KINDS.map((kind) => [kind, list(kind)]).filter(([, words]) => words).flat().join(" ");
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
    if (!this.isOpen && !this.isBeside) return;
    const { engine, node } = this.desk;
    const { has_games: hasGames, takes_games: takesGames } = engine.about;
    // Without a file the page offers to open one, and so does a file without games.
    const offer = (isEmpty) => {
      find("db-parts").classList.toggle("none", isEmpty);
      find("db-drop").classList.toggle("none", !isEmpty);
      find("db-add").classList.toggle("none", isEmpty || !takesGames);
      find("db-forget").classList.toggle("none", isEmpty || !engine.connection.collection);
    };
    offer(!hasGames);
    find("db-tree").classList.toggle("none", !hasGames);
    if (!hasGames) return;
    this.drawChips();
    const { signal } = (this.asking = new AbortController());
    const { query: conditions, sort } = this;
    const position = find("db-here").checked && !this.isDrawing ? node.position : "";
    // A position is one of the game on the board, unless the filter names another.
    const { variant } = this.desk.game;
    const here = variant && !conditions.variant ? { ...conditions, variant } : conditions;
    const list = { ...(position ? here : conditions), sort, position, pattern: this.words, skip: this.skip, limit: PAGE };
    const questions = Promise.all([
      this.isOpen ? engine.ask("games/find", list, { signal }) : null,
      engine.ask("games/tree", { ...here, fen: node.position }, { signal }),
    ]);
    try {
      const [found, tree] = await whileSlow(questions, () => (find("db-count").textContent = t("loading")));
      if (found) {
        const isAll = this.filters.length === 0 && !conditions.player && !conditions.opponent;
        if (isAll) find("db-size").textContent = t("gamesOf", { count: found.total });
        offer(isAll && found.total === 0);
        this.show(found);
      }
      this.showTree(tree);
    } catch (problem) {
      if (!signal.aborted) find("db-count").textContent = problemText(problem);
    }
  }

  show({ total, games }) {
    const last = this.skip + games.length;
    find("db-count").textContent = total > games.length
      ? t("gamesFound", { count: `${this.skip + 1}–${last}`, of: total.toLocaleString(t.language) })
      : t("gamesOf", { count: total });
    find("db-side-games").textContent = `${t("gamesCount")} · ${total.toLocaleString(t.language)}`;
    find("db-earlier").disabled = this.skip === 0;
    find("db-later").disabled = last >= total;
    find("db-table").hidden = games.length === 0;
    find("db-none").hidden = total > 0;
    // A found game can join the one on the board.
    const canMerge = !this.desk.game.isEmpty && this.desk.owner === "analysis";
    const row = ({ game, white, black, result, year, event, plies, at, variant }) =>
      make("tr", { "data-game": game, "data-at": at[0] ?? 0 },
        make("td", { class: "cut" }, make("button", { type: "button", class: "plain" }, white || "?")), make("td", { class: "cut" }, black || "?"),
        make("td", { class: "c" }, make("b", {}, result)), make("td", { class: "r" }, String(year ?? "")),
        make("td", { class: "cut hide-s" }, variant === "international" ? event : t("variant." + variant) + " " + event), make("td", { class: "r hide-s" }, String(Math.ceil(plies / 2))),
        ...(canMerge ? [make("td", {}, iconButton("plus", t("mergeGame", { title: `${white || "?"} – ${black || "?"}` }), { "data-merge": "" }))] : []));
    find("db-games").replaceChildren(...games.map(row));
  }

  showTree({ moves }) {
    find("db-tree").classList.toggle("none", moves.length === 0);
    const isWhite = this.desk.node.position[0] === "W";
    const cells = (head, { games, won, drawn, lost, rating }) => [
      make("th", { scope: "row" }, head), make("td", { class: "r" }, games.toLocaleString(t.language)),
      make("td", {}, split(isWhite ? [won, drawn, lost] : [lost, drawn, won])), make("td", { class: "r" }, rating == null ? "–" : String(Math.round(rating))),
    ];
    /** @param {any} played */
    const row = ({ move, first_year: first, last_year: last, ...more }) => {
      const years = first == null ? false : first === last ? String(first) : first + "–" + last;
      return make("tr", { "data-move": move, title: years }, ...cells(make("button", { type: "button", class: "m" }, short(move)), more));
    };
    find("db-moves").replaceChildren(...moves.map(row));
    const sum = (list, valueOf) => list.reduce((all, move) => all + valueOf(move), 0);
    /** @type {any} */
    const whole = Object.fromEntries(["games", "won", "drawn", "lost"].map((name) => [name, sum(moves, (move) => move[name] ?? 0)]));
    const rated = moves.filter(({ rating }) => rating != null);
    whole.rating = rated.length ? sum(rated, ({ rating, games }) => rating * games) / sum(rated, ({ games }) => games) : null;
    find("db-sum").replaceChildren(...(moves.length > 1 ? [make("tr", {}, ...cells(t("allMoves"), whole))] : []));
  }

  /** Joins a game to the one on the board. */
  async merge(number) {
    const { desk } = this;
    const { games: [record] } = await desk.engine.ask("games/game", { game: number }, { isAwaited: true });
    const other = Game.read(record);
    let last;
    desk.edit(() => {
      last = desk.game.merge(other);
      if (last) last.comment = [last.comment, [other.title, other.result, other.tags.get("Event"), other.tags.get("Date")].filter(Boolean).join(", ")].filter(Boolean).join(" ");
    });
    this.say(t(last ? "merged" : "notMerged", { title: other.title }));
    if (!last) return;
    desk.go(last);
    this.page.open("analysis");
  }

  /** Puts a game on the desk, at the ply where it was found. */
  async load(game, at) {
    const { desk } = this;
    const { games } = await desk.engine.ask("games/game", { game }, { isAwaited: true });
    this.draw(false);
    desk.open(games.map((record) => Game.read(record)));
    desk.go(desk.game.root.line()[at]);
    this.page.open("analysis");
  }

  /** Adds the games of files; a server without a file of games only opens them. */
  async addAll(files) {
    if (files.length === 0) return;
    if (!this.desk.engine.about.takes_games) return this.files.readFile(files[0]);
    find("db-added").textContent = "";
    const said = [];
    for (const file of files) {
      try {
        const body = new Uint8Array(await file.arrayBuffer());
        const { games, added, problems } = await this.desk.engine.add(body, file.name);
        said.push(t("gamesAdded", { games, added }), ...problems.slice(0, 5));
      } catch (problem) {
        said.push(problemText(problem));
      }
    }
    find("db-added").textContent = said.join("; ");
    this.renew();
  }
}
