// The page of a match: its conditions, tables, plots and games.

import { events, meetings } from "./course.js";
import { make } from "./dom.js";
import { Reader } from "./reader.js";
import { table } from "./table.js";
import { has, t } from "./texts.js";

/** A part of a text: literal, or a key of the page's texts with values. @typedef {string | { key: string }} Part */

/** @param {Part[]} parts */
const tell = (parts, between = ", ") =>
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

/** A heading of the table of places; rounds have their numbers. */
const place = (name) => {
  const [, round] = name.match(/^round (\d+)$/) ?? [];
  return { name: round ? t("round", { number: round }) : known("place", name), isText: name === "player" };
};

const cell = (score) =>
  score ? make("span", {}, score[0], make("br"), make("small", {}, score[1])) : make("span", { class: "none" }, "–");

/** The parts of the page. */
export const matchPage = (data, sheet) => {
  const heading = (key) => make("h2", {}, t(key));
  const { conditions, engines, places, course, standings, cross, sprt, lengths, terminations, times } = data;
  /** @type {HTMLElement[]} */
  const parts = [
    make("dl", {}, ...conditions.flatMap(([key, value]) =>
      [make("dt", {}, t("about." + key)), make("dd", {}, tell(value, key === "duration" ? " " : ", "))])),
    table("engines", t("engines"), ["engine", "version", "command", "parameters", "timeControl"].map(text),
      engines.map((row) => [row.name, row.identities.join(" → "), tell(row.command, " "), row.parameters, row.control || t("noLimit")])),
  ];
  if (places) {
    parts.push(heading("places"), table("places", t("places"), places.heading.map(place), places.rows),
      make("p", {}, t("placesHelp")));
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
      standings.map((row) => [
        make("span", { class: row.class, "aria-hidden": "true" }, "■"), row.name, ...row.counts, row.score,
        known("elo", row.elo), row.nelo, row.superiority, row.draws, row.pairs, row.failures,
      ])),
    make("p", {}, t("standingsHelp")),
  );
  if (sprt) {
    const { model, elo0, elo1, llr, lower, upper, verdict } = sprt;
    parts.push(make("p", { id: "sprt" }, `SPRT ${model} [${elo0}, ${elo1}]: LLR ${llr} (${lower}, ${upper}) ${t("sprt." + verdict)}`));
  }
  parts.push(
    heading("crossTable"),
    table("cross", t("crossTable"), [text("engine"), ...cross.map(({ name }) => ({ name }))],
      cross.map(({ name, cells }) => [name, ...cells.map(cell)])),
    heading("eloOverGames"),
    data.elo_plot ? drawing("elo", data.elo_plot, t("eloOverGames")) : make("p", {}, t("notKnownYet")),
    heading("gameLengths"),
    make("p", {}, lengths ? t("lengths", lengths) : "–"),
  );
  if (data.length_plot) parts.push(drawing("lengths", data.length_plot, t("lengthPlot")));
  parts.push(
    table("terminations", t("ends"), [text("endOf"), number("gamesCount")],
      terminations.map(([why, count]) => [end(why), String(count)])),
    heading("timeUse"),
    table("times", t("timeUse"),
      [text("engine"), ...["timeControl", "movesCount", "total", "secondsOfMove", "longest", "meanDepth", "lostByTime"].map(number)],
      times.map((row) => [row.name, row.control || t("noLimit"), ...row.cells])),
    heading("gamesList"),
  );
  const reader = new Reader(sheet, data.games, data.rows, [
    { name: t("game"), text: (row) => String(row.number) },
    { name: t("side.W"), text: (row) => row.white, isText: true },
    { name: t("side.B"), text: (row) => row.black, isText: true },
    { name: t("resultLabel"), text: (row) => row.result },
    { name: t("movesCount"), text: (row) => String(row.moves) },
    { name: t("secondsOfWhite"), text: (row) => row.white_time },
    { name: t("secondsOfBlack"), text: (row) => row.black_time },
    { name: t("endOf"), text: (row) => end(row.termination) + (row.detail && ": " + known("detail", row.detail)), isText: true },
  ]);
  parts.push(reader.element);
  return { parts, reader };
};
