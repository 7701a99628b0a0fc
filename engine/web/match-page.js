// The page of a match: its conditions, tables, plots and games.

import { events, meetings } from "./course.js";
import { make } from "./dom.js";
import { Reader } from "./reader.js";
import { table } from "./table.js";
import { has, t } from "./texts.js";

/** A part of a text: literal, or a key of the page's texts with values. @typedef {string | { key: string }} Part */

/** @param {Part[]} parts */
const partsText = (parts, between = ", ") =>
  parts.map((part) => (typeof part === "string" ? part : t("said." + part.key, part))).join(between);

/** Fixed words of the program, such as the reason why a game ended, in the user's language. */
const known = (kind, words) => {
  const key = kind + "." + words.replaceAll(" ", "-");
  return has(key) ? t(key) : words;
};

const end = (words) => known("end", words);

/** A drawing made by the program. */
const drawing = (id, svg, title) => {
  const { documentElement } = new DOMParser().parseFromString(svg, "image/svg+xml");
  documentElement.querySelector("title").textContent = title;
  return make("div", { id }, /** @type {any} */ (document.adoptNode(documentElement)));
};

const text = (key) => ({ name: t(key), isText: true });
const number = (key) => ({ name: t(key) });

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

/** The parts of the page. */
export const matchPage = (data, sheet) => {
  const heading = (key) => make("h2", {}, t(key));
  const { conditions, engines, places, course, standings, cross, sprt, times } = data;
  const numberOf = ({ name }) => engines.findIndex((engine) => engine.name === name);
  /** @type {HTMLElement[]} */
  const parts = [
    make("dl", {}, ...conditions.flatMap(([key, value]) =>
      [make("dt", {}, t("about." + key)), make("dd", {}, partsText(value, key === "duration" ? " " : ", "))])),
    table("engines", t("engines"), ["engine", "version", "command", "parameters", "timeControl"].map(text),
      engines.map((row) => [row.name, row.identities.join(" → "), partsText(row.command, " "), row.parameters, row.control || t("noLimit")])),
  ];
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
        make("span", { class: `e${numberOf(row) % 8}`, "aria-hidden": "true" }, "■"), row.name, String(row.games),
        row.points.toFixed(1), ...[row.wins, row.draws, row.losses, row.unknown].map(String),
        share(row.games ? row.points / row.games : null), elo(row),
        row.nelo === null ? "–" : estimate(row.nelo, row.nelo_low, row.nelo_high), share(row.superiority),
        share(row.draw_ratio), row.pentanomial.join(" "), String(row.faults + row.time_forfeits),
      ])),
    make("p", {}, t("standingsHelp")),
  );
  if (sprt) {
    const { model, elo0, elo1, bounds: [lower, upper] } = sprt;
    const verdict = standings.sprt === "continue" ? "undecided" : standings.sprt.toLowerCase();
    const numbers = `${standings.llr.toFixed(2)} (${lower.toFixed(2)}, ${upper.toFixed(2)})`;
    parts.push(make("p", { id: "sprt" }, `SPRT ${model} [${elo0}, ${elo1}]: LLR ${numbers} ${t("sprt." + verdict)}`));
  }
  parts.push(
    heading("crossTable"),
    table("cross", t("crossTable"), [text("engine"), ...engines.map(({ name }) => ({ name }))],
      cross.map((row, index) => [engines[index].name, ...row.map(cell)])),
    heading("eloOverGames"),
    data.elo_plot ? drawing("elo", data.elo_plot, t("eloOverGames")) : make("p", {}, t("notKnownYet")),
    heading("gameLengths"),
    make("p", {}, data.rows.length ? t("lengths", lengths(data.rows)) : "–"),
  );
  if (data.length_plot) parts.push(drawing("lengths", data.length_plot, t("lengthPlot")));
  parts.push(
    table("terminations", t("ends"), [text("endOf"), number("gamesCount")],
      Object.entries(standings.terminations).map(([why, count]) => [end(why), String(count)])),
    heading("timeUse"),
    table("times", t("timeUse"),
      [text("engine"), ...["timeControl", "movesCount", "total", "secondsOfMove", "longest", "meanDepth", "lostByTime"].map(number)],
      times.map(({ moves, total, longest, depth }, index) => {
        const { name, control } = engines[index];
        const lost = standings.engines.find((row) => row.name === name)?.time_forfeits ?? 0;
        return [
          name, control || t("noLimit"), String(moves), clock(total), (moves ? total / moves : 0).toFixed(3),
          longest.toFixed(3), depth === null ? "–" : depth.toFixed(1), String(lost),
        ];
      })),
    heading("gamesList"),
  );
  const reader = new Reader(sheet, data.games, data.rows, [
    { name: t("game"), text: (row) => String(row.number) },
    { name: t("side.W"), text: (row) => row.white, isText: true },
    { name: t("side.B"), text: (row) => row.black, isText: true },
    { name: t("resultLabel"), text: (row) => row.result },
    { name: t("movesCount"), text: (row) => String(row.moves) },
    { name: t("secondsOfWhite"), text: (row) => row.white_time.toFixed(2) },
    { name: t("secondsOfBlack"), text: (row) => row.black_time.toFixed(2) },
    { name: t("endOf"), text: (row) => end(row.termination) + (row.detail && ": " + known("detail", row.detail)), isText: true },
  ]);
  parts.push(reader.element);
  return { parts, reader };
};
