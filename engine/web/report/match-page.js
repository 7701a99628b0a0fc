// The page of a match: its result, tables, plots, conditions and games.

import { events, meetings } from "../tournament/course.js";
import { make } from "../base/dom.js";
import { eloPlot, lengthPlot } from "./plots.js";
import { Reader, heads } from "./reader.js";
import { number, table, text } from "./table.js";
import { has, t } from "../base/texts.js";

/** A text of the conditions with its values. */
const say = (key, values = {}) => t("said." + key, values);

/** Fixed words of the program, such as the reason why a game ended, in the user's language. */
const known = (kind, words) => {
  const key = kind + "." + words.replaceAll(" ", "-");
  return has(key) ? t(key) : words;
};

const end = (words) => known("end", words);


const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

const share = (value) => (value === null ? "–" : `${(100 * value).toFixed(1)} %`);

/** A number with its sign and half of its interval. */
const estimate = (value, low, high) => {
  const error = low === null || high === null ? "inf" : ((high - low) / 2).toFixed(1);
  return `${value < 0 ? "" : "+"}${value.toFixed(1)} ±${error}`;
};

/** The strength of an engine: by pairs as soon as there is one. */
const elo = ({ games, wins, losses, pentanomial, elo, elo_low, elo_high }) => {
  const pairs = sum(pentanomial);
  if (games === 0) return "–";
  if (elo !== null) return estimate(elo, elo_low, elo_high);
  if (pairs ? pentanomial[4] === pairs : wins === games) return t("elo.all-won");
  if (pairs ? pentanomial[0] === pairs : losses === games) return t("elo.all-lost");
  return t("elo.not-known-yet");
};

/** As `1:02:03`. */
const clock = (seconds) => {
  const two = (value) => String(Math.floor(value) % 60).padStart(2, "0");
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 3600)}:${two(whole / 60)}:${two(whole)}`;
};

const cell = ({ wins, draws, losses }) =>
  wins + draws + losses
    ? make("span", {}, (wins + draws / 2).toFixed(1), make("br"), make("small", {}, `+${wins} =${draws} −${losses}`))
    : make("span", { class: "none" }, "–");

/** The places of a tournament, each round with opponent, colour and result. */
const placesTable = ({ places, rounds }) => {
  const swiss = places.some(({ buchholz }) => buchholz !== undefined);
  const keys = ["place", "no", "player", "points", ...(swiss ? ["Buchholz", "cut-1"] : []), "S-B", "wins"];
  const columns = keys.map((key) => ({ name: t("place." + key), isText: key === "player" }));
  const headings = rounds.map(({ round }) => ({ name: t("round", { number: round }) }));
  const row = (it) => [
    String(it.place), String(it.number), it.name, it.points.toFixed(1),
    ...(swiss ? [it.buchholz.toFixed(1), it.buchholz_cut_1.toFixed(1)] : []),
    it.sonneborn_berger.toFixed(2), String(it.wins), ...it.rounds,
  ];
  return table("places", t("places"), [...columns, ...headings], places.map(row));
};

/** The shortest, longest, mean and median length of games in moves. */
const lengths = (rows) => {
  const sorted = rows.map(({ moves }) => moves).sort((a, b) => a - b);
  const middle = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return {
    least: sorted[0], most: sorted[sorted.length - 1],
    mean: (sum(sorted) / sorted.length).toFixed(1), median: sum(middle) / 2,
  };
};

/** The scores that end games: `5,4`, or `0.1,10,60` with the first move. */
const rule = (text) => {
  const [men, count, number] = text.split(",");
  return [say("resign", { men, count }), ...(number ? [say("fromMove", { number })] : [])].join(", ");
};

/** When a game was played. */
const dateOf = ({ d }) => d.match(/^\[Date "([^"]*)"/m)?.[1].replaceAll(".", "-") ?? "";

/** The infos on the moves of a side in a game. */
const movesOf = ({ p, i }, side) => i.filter((_, ply) => (ply % 2 === 0) === (p[0] === side));

const secondsOf = (infos) => sum(infos.map(([, , seconds]) => seconds));

/** What holds for all games: the names of texts, and values in words. */
const conditions = (data) => {
  const { games, engines, earlier, machine } = data;
  const config = data.config.match ?? data.config.tournament;
  const dates = games.map(dateOf).sort();
  const [first, last] = [dates[0], dates[dates.length - 1]];
  const unknown = sum(earlier.map((part) => (part.played === null ? part.games : 0)));
  const given = config.openings.length;
  const played = new Set(games.map(({ p }) => p)).size;
  const counts = { given, played, more: played - given };
  const openings = "openings" + (played === given ? "" : played > given ? "More" : "Played");
  const told = engines.filter(({ engine }) => /(^|\s)param\.book[-=]/.test(engine)).map(({ name }) => name);
  const limit = config["max-moves"];
  // Players of a tournament may meet once, with one colour.
  const isSingle = Boolean(data.config.tournament) && config.games === 1;
  const commands = [...earlier.map(({ command }) => command), data.command];
  /** @type {[string, string | false | undefined][]} */
  const list = [
    ["date", first === last ? first && `${first} (UTC)` : say("dates", { first, last })],
    ["duration", [
      clock(data.elapsed + sum(earlier.map((part) => part.played ?? 0))),
      ...(earlier.length ? [say("inParts", { parts: earlier.length + 1 })] : []),
      ...(unknown ? [say("withoutTime", { games: unknown })] : []),
    ].join(" ")],
    ["thinking", say("inAllGames", { time: clock(sum(games.map(({ i }) => secondsOf(i)))) })],
    ["games", say("gamesOf", { played: games.length, planned: data.planned })],
    ["openings", given ? [say(openings, counts), ...(isSingle ? [] : [say("bothColours")])].join(", ") : say("initial")],
    ["books", [say(given ? "booksOff" : "booksLeft"),
      ...(told.length ? [say("booksTold", { engines: told.join(", ") })] : [])].join(", ")],
    ["seed", config.seed?.toString()],
    ["rules", config["draw-rules"]],
    ["margin", say("milliseconds", { count: config.margin })],
    ["limit", limit > 0 && say("moves", { count: limit })],
    ["wonAt", config.resign && rule(config.resign)],
    ["drawnAt", config.draw && rule(config.draw)],
    ["databases", config.egdb.join(", ")],
    ["machine", [machine.system, ...(machine.model ? [machine.model] : []),
      say("processors", { count: machine.threads })].join(", ")],
    ["runner", data.runner],
    ...commands.map((command, place) => /** @type {[string, string]} */ ([place ? "continued" : "command", command])),
  ];
  return list.filter(([, value]) => value);
};

/** The parts of the page. */
export const matchPage = (data) => {
  const heading = (key) => make("h2", {}, t(key));
  const { engines, places, course, standings, cross, games } = data;
  const sprt = data.config.match?.sprt;
  const rows = data.rows.map((row, index) => {
    const [white, black] = ["W", "B"].map((side) => secondsOf(movesOf(games[index], side)));
    return { ...row, moves: Math.ceil(games[index].m.length / 2), white_time: white, black_time: black };
  });
  const numberOf = ({ name }) => engines.findIndex((engine) => engine.name === name);
  const look = (row) => `e${numberOf(row) % 8}`;
  // With two engines only the better one: the other is its mirror image.
  const courses = standings.engines.slice(0, engines.length === 2 ? 1 : engines.length)
    .map((row) => ({ look: look(row), course: data.courses[numberOf(row)] }));
  /** @type {HTMLElement[]} */
  const parts = [];
  if (engines.length === 2 && games.length) {
    const [better, other] = standings.engines;
    parts.push(make("p", { id: "result" },
      make("b", { class: "big" }, `${better.name} ${better.points.toFixed(1)} – ${other.points.toFixed(1)} ${other.name}`), make("br"),
      `Elo ${elo(better)} · ${t("gamesCount")}: ${say("gamesOf", { played: games.length, planned: data.planned })}`));
  }
  if (places) {
    parts.push(heading("places"), placesTable(places), make("p", {}, t("placesHelp")));
  }
  if (course) {
    const rounds = course.rounds.flatMap((round) =>
      [make("h3", {}, t("live.round", round)), make("ul", {}, ...meetings(round))]);
    parts.push(
      make("section", { id: "rounds" }, heading("live.rounds"), ...rounds),
      make("section", { id: "feed" }, heading("live.feed"), make("ul", {}, ...events(course.feed))));
  }
  parts.push(
    heading("standings"),
    table("standings", t("standings"),
      [{ name: t("line") }, text("engine"), ...["gamesCount", "pointsCount", "won", "drawn", "lost", "unknownOnes", "scoreShare"].map(number),
        { name: "Elo" }, { name: "nElo" }, { name: "LOS" }, number("draws"), number("pairs"), number("failures")],
      standings.engines.map((row) => [
        make("span", { class: look(row), "aria-hidden": "true" }, "■"), row.name, String(row.games),
        row.points.toFixed(1), ...[row.wins, row.draws, row.losses, row.unknown].map(String),
        share(row.games ? row.points / row.games : null), elo(row),
        row.nelo === null ? "–" : estimate(row.nelo, row.nelo_low, row.nelo_high), share(row.superiority),
        share(row.draw_ratio), row.pentanomial.join(" "), String(row.faults + row.time_forfeits),
      ])),
    make("p", {}, t("standingsHelp")),
  );
  if (sprt) {
    const { elo0, elo1, alpha, beta } = sprt;
    const model = sprt.is_logistic ? "logistic" : "normalised";
    const [lower, upper] = [Math.log(beta / (1 - alpha)), Math.log((1 - beta) / alpha)];
    const verdict = standings.sprt === "continue" ? "undecided" : standings.sprt.toLowerCase();
    const numbers = `${standings.llr.toFixed(2)} (${lower.toFixed(2)}, ${upper.toFixed(2)})`;
    parts.push(make("p", { id: "sprt" }, `SPRT ${model} [${elo0}, ${elo1}]: LLR ${numbers} ${t("sprt." + verdict)}`));
  }
  parts.push(
    heading("crossTable"),
    table("cross", t("crossTable"), [text("engine"), ...engines.map(({ name }) => ({ name }))],
      cross.map((row, index) => [engines[index].name, ...row.map(cell)])),
    heading("eloOverGames"),
    eloPlot(courses, t("eloOverGames")) ?? make("p", {}, t("notKnownYet")),
    heading("gameLengths"),
    make("p", {}, rows.length ? t("lengths", lengths(rows)) : "–"),
  );
  parts.push(
    ...[lengthPlot(rows.map(({ moves }) => moves), t("lengthPlot"))].filter((plot) => plot !== null),
    table("terminations", t("ends"), [text("endOf"), number("gamesCount")],
      Object.entries(standings.terminations).map(([why, count]) => [end(why), String(count)])),
    heading("timeUse"),
    table("times", t("timeUse"),
      [text("engine"), ...["timeControl", "movesCount", "total", "secondsOfMove", "longest", "meanDepth", "lostByTime"].map(number)],
      engines.map(({ name, control }) => {
        const own = games.flatMap((game, index) => [
          ...(rows[index].white === name ? movesOf(game, "W") : []),
          ...(rows[index].black === name ? movesOf(game, "B") : []),
        ]);
        const [moves, total] = [own.length, secondsOf(own)];
        const depths = own.map(([, depth]) => depth).filter((depth) => depth !== null);
        const longest = own.reduce((most, [, , seconds]) => Math.max(most, seconds), 0);
        const lost = standings.engines.find((row) => row.name === name)?.time_forfeits ?? 0;
        return [
          name, control || t("noLimit"), String(moves), clock(total), (moves ? total / moves : 0).toFixed(3),
          longest.toFixed(3), depths.length ? (sum(depths) / depths.length).toFixed(1) : "–", String(lost),
        ];
      })),
    heading("engines"),
    table("engines", t("engines"), ["engine", "version", "description", "timeControl"].map(text),
      engines.map((row) => [row.name, row.identities.join(" → "), row.engine, row.control || t("noLimit")])),
    make("dl", {}, ...conditions(data).flatMap(([key, value]) =>
      [make("dt", {}, t("about." + key)), make("dd", {}, String(value))])),
    heading("gamesList"),
  );
  const reader = new Reader(games, rows, [
    ...heads(),
    { name: t("secondsOfWhite"), text: (row) => row.white_time.toFixed(2) },
    { name: t("secondsOfBlack"), text: (row) => row.black_time.toFixed(2) },
    { name: t("endOf"), text: (row) => end(row.termination) + (row.detail && row.detail !== row.termination ? ": " + known("detail", row.detail) : ""), isText: true },
  ]);
  parts.push(reader.element);
  return { parts, reader };
};
