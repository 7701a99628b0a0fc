// The user's games where no server has a file of them: an index in memory that answers as the server's
// does. It does not need SQLite: the engine reads the PDN and finds patterns and moves, and one visitor
// has few games. The browser keeps the files for the next visit.

import { readFen } from "../board/board.js";
import { Archive } from "../game/archive.js";
import { Problem } from "./problem.js";

/** Small letters without accents. */
const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Whether each word begins a word of the name. */
const isMeant = (words, name) => {
  const parts = folded(name).split(/[^\p{L}\p{N}]+/u);
  return folded(words).split(/[^\p{L}\p{N}]+/u).every((word) => parts.some((part) => part.startsWith(word)));
};

/** The position with the board turned and the colours exchanged. */
const turned = (position) => {
  const swap = { w: "b", b: "w", W: "B", B: "W", e: "e" };
  return swap[position[0]] + [...position.slice(1)].reverse().map((place) => swap[place]).join("");
};

/** A move of Hub notation on the turned board. */
const turnedMove = (move) => move.replace(/\d+/g, (square) => String(51 - Number(square)));

/** Whether a number is in a range such as `40-80`, `40-`, `-80` or `40`. */
const isWithin = (range, number) => {
  const [first, last = first] = range.split("-");
  return number >= Number(first) && number <= Number(last || Infinity);
};

/** The day of a date in any form, as `yyyymmdd`, with 0 for an unknown month or day. */
const dayOf = (date) => {
  const parts = date.match(/[0-9?]+/g) ?? [];
  const at = parts.findIndex((part) => /^\d{4}(\d{4})?$/.test(part));
  if (at < 0 || parts[at].length === 8) return Number(parts[at] ?? 0);
  let [month, day] = [1, 2].map((step) => Number(parts[at === 0 ? step : at - step]) || 0);
  if (month > 12) [month, day] = [day, month];
  if (month > 12 || month === 0) month = day = 0;
  return Number(parts[at]) * 10_000 + month * 100 + (day > 31 ? 0 : day);
};

/** The conditions on boards, which the engine checks. */
const ON_BOARDS = ["pattern", "lasting", "manoeuvre", "within", "material", "sacrifice", "by", "plies"];

const SORTS = {
  number: () => 0,
  date: (a, b) => dayOf(b.date) - dayOf(a.date),
  white: (a, b) => a.white.localeCompare(b.white),
  black: (a, b) => a.black.localeCompare(b.black),
  event: (a, b) => a.event.localeCompare(b.event),
  length: (a, b) => b.plies - a.plies,
};

export class Collection {
  /** engine: answers a question, given its route, parameters and body. */
  constructor(engine) {
    this.engine = engine;
    /** @type {Archive | null} */
    this.archive = null;
    /** @type {Promise<void> | null} */
    this.restored = null;
    this.clear();
  }

  clear() {
    /** Each with its record, its entry in lists, and its moves and positions. */
    this.games = [];
    this.known = new Set();
    /** The occurrences of each position: game and ply. @type {Map<string, [number, number][]>} */
    this.places = new Map();
  }

  /** The games of earlier visits. */
  async restore() {
    this.archive = await Archive.open();
    for (const file of (await this.archive?.files()) ?? []) await this.add(file);
  }

  /** Adds games, and keeps them, if there is room for that. */
  async keep(body) {
    const report = await this.add(body);
    if (report.added) await this.archive?.addFile(body).catch(() => {});
    return report;
  }

  /** Forgets all games. */
  async forget() {
    await this.archive?.forgetFiles();
    this.clear();
  }

  /** Answers a question of `/v1/games/...`. */
  async ask(route, query, body) {
    await (this.restored ??= this.restore());
    switch (route) {
      case "games/import": return this.keep(body);
      case "games/find": return this.find(query);
      case "games/tree": return this.tree(query);
      default: {
        const game = this.games[Number(query.game) - 1];
        if (!game) throw new Problem({ type: "#not-known", detail: "" });
        return { games: [structuredClone(game.record)], warnings: [] };
      }
    }
  }

  async add(pdn) {
    const { games, warnings } = await this.engine("games", {}, pdn);
    let added = 0;
    let broken = 0;
    for (const record of games) {
      if (record.truncated) broken++;
      const tags = new Map(record.tags);
      const tag = (name) => tags.get(name) ?? "";
      const moves = record.line.plies.map(({ move }) => move);
      const year = Math.floor(dayOf(tag("Date")) / 10_000) || null;
      // A game with another result, comment or move is another game.
      const print = JSON.stringify([
        record.start, record.variant, record.line, record.result, folded(tag("White")), folded(tag("Black")),
        ...["Event", "Date", "Round", "Result"].map(tag),
      ]);
      if (this.known.has(print)) continue;
      this.known.add(print);
      added++;
      const positions = [readFen(record.start), ...record.line.plies.map(({ fen }) => readFen(fen))];
      const number = this.games.length;
      const rating = (side) => Number(tag(side + "Rating")) || null;
      const shown = {
        game: number + 1, white: tag("White"), black: tag("Black"), result: record.result, date: tag("Date"), year,
        event: tag("Event"), site: tag("Site"), round: tag("Round"), plies: moves.length,
        white_rating: rating("White"), black_rating: rating("Black"), variant: record.variant,
      };
      this.games.push({ record, shown, moves, positions });
      for (const [ply, position] of positions.entries()) {
        const list = this.places.get(position) ?? [];
        this.places.set(position, list);
        list.push([number, ply]);
      }
    }
    return { games: games.length, added, duplicates: games.length - added, broken, problems: warnings };
  }

  /** Whether the data of a game match. */
  static fits({ shown }, { player = "", opponent = "", color, event, years, result, min_rating: least, length, position, fen, variant = position || fen ? "international" : "" }) {
    const { white, black } = shown;
    const sit = (one, other) => isMeant(player, one) && isMeant(opponent, other);
    return (!variant || shown.variant === variant) && ((color !== "black" && sit(white, black)) || (color !== "white" && sit(black, white)))
      && (!event || isMeant(event, shown.event) || isMeant(event, shown.site))
      && (!years || (shown.year !== null && isWithin(years, shown.year)))
      && (!result || shown.result === result)
      && (!least || Math.min(shown.white_rating ?? 0, shown.black_rating ?? 0) >= Number(least))
      && (!length || isWithin(length, shown.plies));
  }

  /** For each game the plies after which the conditions on boards are fulfilled, or null; null without such a condition. */
  async boards(query) {
    const conditions = Object.fromEntries(ON_BOARDS.filter((name) => query[name]).map((name) => [name, query[name]]));
    if (Object.keys(conditions).length === 0) return null;
    const games = this.games.map(({ record: { start, variant, line } }) => {
      const plies = line.plies.map(({ move, after }) => ({ move, after: after.filter(({ setup }) => setup) }));
      return { start, variant, line: { plies } };
    });
    const twin = String(query.twin) === "true";
    return (await this.engine("boards", { ...conditions, twin }, JSON.stringify({ games }))).at;
  }

  /** The plies of each game where one of these positions occurs. */
  plies(positions) {
    const found = new Map();
    for (const [game, ply] of positions.flatMap((position) => this.places.get(position) ?? [])) {
      const list = found.get(game) ?? [];
      found.set(game, list);
      list.push(ply);
    }
    return found;
  }

  async find(query) {
    const { position, twin, skip = 0, limit = 50 } = query;
    const isTwin = String(twin) === "true";
    const wanted = position && (readFen(position) ?? position);
    const here = wanted ? this.plies(isTwin ? [wanted, turned(wanted)] : [wanted]) : null;
    const boards = await this.boards(query);
    const found = [];
    for (const [number, game] of this.games.entries()) {
      if (!Collection.fits(game, query) || (here && !here.has(number)) || boards?.[number] === null) continue;
      found.push({ ...game.shown, at: here?.get(number) ?? (boards ? [boards[number]] : []) });
    }
    found.sort(SORTS[query.sort] ?? SORTS.number);
    return { total: found.length, games: found.slice(Number(skip), Number(skip) + Number(limit)) };
  }

  async tree(query) {
    const position = readFen(query.fen) ?? query.fen;
    const isTwin = String(query.twin) === "true";
    const moves = new Map();
    const boards = await this.boards(query);
    for (const [number, plies] of this.plies(isTwin ? [position, turned(position)] : [position])) {
      const { shown, moves: played, positions } = this.games[number];
      if (!Collection.fits(this.games[number], query) || boards?.[number] === null) continue;
      for (const ply of plies) {
        const isTurned = positions[ply] !== position;
        const move = played[ply] && (isTurned ? turnedMove(played[ply]) : played[ply]);
        if (!move) continue;
        const sum = moves.get(move) ?? { games: new Set(), won: 0, drawn: 0, lost: 0, rated: 0, ratings: 0, years: [] };
        moves.set(move, sum);
        if (sum.games.has(number)) continue;
        sum.games.add(number);
        const side = positions[ply][0] === "W" ? "white" : "black";
        const [white, black] = shown.result.split("-").map(Number);
        if (black !== undefined) sum[white === black ? "drawn" : (white > black) === (side === "white") ? "won" : "lost"]++;
        if (shown[side + "_rating"]) [sum.rated, sum.ratings] = [sum.rated + 1, sum.ratings + shown[side + "_rating"]];
        if (shown.year) sum.years.push(shown.year);
      }
    }
    const list = [...moves].map(([move, { games, won, drawn, lost, rated, ratings, years }]) => ({
      move, games: games.size, won, drawn, lost, share: won + drawn + lost ? (won + drawn / 2) / (won + drawn + lost) : null, rating: rated ? ratings / rated : null,
      first_year: years.length ? Math.min(...years) : null, last_year: years.length ? Math.max(...years) : null,
    }));
    return { moves: list.sort((a, b) => b.games - a.games) };
  }
}
