// The games of a page without a server: an index in memory that answers as the server's file of
// games does. Its own index instead of SQLite's module: the engine reads the PDN already, and one
// visitor has few games.

import { readFen } from "./board.js";
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

/** The pattern of docs/games.md as conditions on a position. */
const readPattern = (text) => {
  const groups = [];
  let kind = "must";
  let group = null;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (["must", "one-of", "not"].includes(word)) {
      [kind, group] = [word, null];
      continue;
    }
    if (!group) groups.push((group = { kind, squares: [] }));
    const piece = word[0] === "." ? "e" : word[0];
    for (const square of word.slice(1).split(",")) group.squares.push([Number(square), piece]);
  }
  return (position) => groups.every(({ kind, squares }) => {
    const is = ([square, piece]) => position[square] === piece;
    if (kind === "must") return squares.every(is);
    return kind === "not" ? !squares.some(is) : squares.some(is);
  });
};

/** Whether a number is in a range such as `40-80`, `40-`, `-80` or `40`. */
const isWithin = (range, number) => {
  const [first, last = first] = range.split("-");
  return number >= Number(first) && number <= Number(last || Infinity);
};

/** The plies after which moves such as `31-26 36-31` have been played in this order; 0 if never. */
const playedAfter = (words, moves) => {
  const wanted = words.split(/\s+/).map((word) => word.split(/[-x]/).join());
  for (const [ply, move] of moves.entries()) {
    if (move.split(/[-x]/).slice(0, 2).join() === wanted[0]) wanted.shift();
    if (wanted.length === 0) return ply + 1;
  }
  return 0;
};

/** The day that a date means, however it is written, as `yyyymmdd`: 0 for what is not known of it. */
const dayOf = (date) => {
  const parts = date.match(/[0-9?]+/g) ?? [];
  const at = parts.findIndex((part) => /^\d{4}(\d{4})?$/.test(part));
  if (at < 0 || parts[at].length === 8) return Number(parts[at] ?? 0);
  let [month, day] = [1, 2].map((step) => Number(parts[at === 0 ? step : at - step]) || 0);
  if (month > 12) [month, day] = [day, month];
  if (month > 12 || month === 0) month = day = 0;
  return Number(parts[at]) * 10_000 + month * 100 + (day > 31 ? 0 : day);
};

const SORTS = {
  number: () => 0,
  date: (a, b) => dayOf(b.date) - dayOf(a.date),
  white: (a, b) => a.white.localeCompare(b.white),
  black: (a, b) => a.black.localeCompare(b.black),
  event: (a, b) => a.event.localeCompare(b.event),
  length: (a, b) => b.plies - a.plies,
};

export class Collection {
  /** read: gives the games of a PDN text as `/v1/games` does. */
  constructor(read) {
    this.read = read;
    /** Each with its record, its entry in lists, and its positions. */
    this.games = [];
    this.known = new Set();
    /** The occurrences of each position: game and ply. @type {Map<string, [number, number][]>} */
    this.places = new Map();
  }

  /** Answers a question of `/v1/games/...`. */
  ask(route, query, body) {
    switch (route) {
      case "games/import": return this.add(body);
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
    const { games, warnings } = await this.read(pdn);
    let added = 0;
    let broken = 0;
    for (const record of games) {
      if (record.truncated) broken++;
      const tags = new Map(record.tags);
      const tag = (name) => tags.get(name) ?? "";
      const moves = record.line.plies.map(({ move }) => move);
      const year = Math.floor(dayOf(tag("Date")) / 10_000) || null;
      // What is said, scored or played elsewhere differently is another game.
      const print = JSON.stringify([
        record.start, record.line, record.result, folded(tag("White")), folded(tag("Black")),
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
        white_rating: rating("White"), black_rating: rating("Black"),
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
  static fits({ shown, moves }, { player = "", opponent = "", event, years, result, min_rating: least, length, manoeuvre }) {
    const { white, black } = shown;
    const sit = (one, other) => isMeant(player, one) && isMeant(opponent, other);
    return (sit(white, black) || sit(black, white))
      && (!event || isMeant(event, shown.event) || isMeant(event, shown.site))
      && (!years || (shown.year !== null && isWithin(years, shown.year)))
      && (!result || shown.result === result)
      && (!least || Math.min(shown.white_rating ?? 0, shown.black_rating ?? 0) >= Number(least))
      && (!length || isWithin(length, shown.plies))
      && (!manoeuvre || playedAfter(manoeuvre, moves) > 0);
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

  find(query) {
    const { position, pattern, twin, skip = 0, limit = 50 } = query;
    const isTwin = String(twin) === "true";
    const wanted = position && (readFen(position) ?? position);
    const here = wanted ? this.plies(isTwin ? [wanted, turned(wanted)] : [wanted]) : null;
    const fits = pattern ? readPattern(pattern) : null;
    const sees = (place) => fits(place) || (isTwin && fits(turned(place)));
    const found = [];
    for (const [number, game] of this.games.entries()) {
      const { shown, positions } = game;
      if (!Collection.fits(game, query) || (here && !here.has(number))) continue;
      const seen = fits ? positions.findIndex(sees) : -1;
      if (fits && seen < 0) continue;
      const last = Math.max(seen, query.manoeuvre ? playedAfter(query.manoeuvre, game.moves) : -1);
      found.push({ ...shown, at: here?.get(number) ?? (last < 0 ? [] : [last]) });
    }
    found.sort(SORTS[query.sort] ?? SORTS.number);
    return { total: found.length, games: found.slice(Number(skip), Number(skip) + Number(limit)) };
  }

  tree(query) {
    const position = readFen(query.fen) ?? query.fen;
    const isTwin = String(query.twin) === "true";
    const moves = new Map();
    for (const [number, plies] of this.plies(isTwin ? [position, turned(position)] : [position])) {
      const { shown, moves: played, positions } = this.games[number];
      if (!Collection.fits(this.games[number], query)) continue;
      for (const ply of plies) {
        const isTurned = positions[ply] !== position;
        const move = played[ply] && (isTurned ? turnedMove(played[ply]) : played[ply]);
        if (!move) continue;
        const sum = moves.get(move) ?? { games: new Set(), points: 0, ended: 0, rated: 0, ratings: 0, years: [] };
        moves.set(move, sum);
        if (sum.games.has(number)) continue;
        sum.games.add(number);
        const side = positions[ply][0] === "W" ? "white" : "black";
        const [white, black] = shown.result.split("-").map(Number);
        if (black !== undefined) [sum.ended, sum.points] = [sum.ended + 1, sum.points + (side === "white" ? white : black) / (white + black || 1)];
        if (shown[side + "_rating"]) [sum.rated, sum.ratings] = [sum.rated + 1, sum.ratings + shown[side + "_rating"]];
        if (shown.year) sum.years.push(shown.year);
      }
    }
    const list = [...moves].map(([move, { games, points, ended, rated, ratings, years }]) => ({
      move, games: games.size, share: ended ? points / ended : null, rating: rated ? ratings / rated : null,
      first_year: years.length ? Math.min(...years) : null, last_year: years.length ? Math.max(...years) : null,
    }));
    return { moves: list.sort((a, b) => b.games - a.games) };
  }
}
