// The page of annotated games: the play of each player, instructive positions, endgames, and the
// games.

import { readFen, short } from "../board/board.js";
import { make } from "../base/dom.js";
import { figure } from "../board/figure.js";
import { sentence, signOf } from "../game/movelist.js";
import { numbered } from "../game/tree.js";
import { GRADES, Reader, firstOf, heads, percent } from "./reader.js";
import { number, table, text } from "./table.js";
import { t } from "../base/texts.js";

const PHASES = ["opening", "middle_game", "endgame"];
const KINDS = ["allowed_combination", "missed_combination", "won_endgame_not_won", "drawn_endgame_lost", "positional"];

const rounded = (accuracy) => (accuracy == null ? "–" : accuracy.toFixed(1));

/** A number with the ends of its interval. */
const ranged = (value, range) => (value == null ? "–" : `${value} (${range.join("–")})`);

/** The number of a move of a game. */
const numberIn = (data, ply) => numbered(ply + (data.p[0] === "B" ? 1 : 0), firstOf(data));

export const annotationPage = (data) => {
  const { players, summary, games, rows } = data;
  const opens = (game, ply, content) => make("a", { href: `#game=${game}&ply=${ply}` }, content);
  const numberOf = ({ game, ply }) => numberIn(games[game - 1], ply);
  /** Instructive positions, with the mistakes below them. */
  const diagrams = (mistakes) => make("div", { class: "diagrams" }, ...mistakes.map((mistake) => {
    const { game, ply, fen, move, side, grade } = mistake;
    const { white, black } = rows[game - 1];
    const name = `${numberOf(mistake)} ${short(move)}${signOf(grade)}`;
    const shown = { position: readFen(fen), flipped: side === "B" };
    return figure(shown, opens(game, ply, `${t("gameTitle", { number: game })}, ${name}`), ` ${white} – ${black}. `,
      sentence(mistake), mistake.time_trouble ? " " + t("inTimeTrouble") : "");
  }));
  const counts = (record, keys) => keys.map((key) => String(record[key]));
  /** @type {HTMLElement[]} */
  const parts = [
    make("h2", {}, t("players")),
    table("standings", t("players"),
      [text("player"), ...["gamesCount", "movesWithChoice", "accuracy", "likeLevel", "eloOverLevel", "inaccuracies", "gradeMistakes", "blunders"].map(number)],
      players.map((it) => [
        it.player, String(it.games), String(it.moves), rounded(it.accuracy), ranged(it.level, it.level_range), ranged(it.elo, it.elo_range),
        ...counts(it, ["inaccuracies", "mistakes", "blunders"]),
      ])),
    make("p", {}, t("accuracyHelp")),
    make("p", {}, t("levelOfPlayHelp")),
    make("h2", {}, t("whatWasWrong")),
    table("kinds", t("whatWasWrong"),
      [text("player"), ...PHASES.map((key) => number("phase." + key)), ...KINDS.map((key) => number("kind." + key)), number("timeTrouble")],
      players.map((it) => [it.player, ...counts(it.phases, PHASES), ...counts(it.kinds, KINDS), String(it.time_trouble)])),
    make("p", {}, t("kindsHelp")),
  ];
  if (summary.instructive.length) {
    parts.push(make("h2", {}, t("instructive")), diagrams(summary.instructive));
  }
  for (const it of players) {
    if (it.instructive.length + it.progress.length === 0 || players.length === 1) continue;
    const days = it.progress.length > 1 ? progress(it) : null;
    const isNew = it.instructive.some((one) => !summary.instructive.some(({ game, ply }) => game === one.game && ply === one.ply));
    // Drawn when opened, and for printing: there may be many players.
    const details = make("details", { class: "of-player" }, make("summary", {}, it.player));
    const fill = () => {
      if (details.children.length > 1) return;
      if (it.level) details.append(make("p", {}, t("playsLike", { level: it.level })));
      if (days) details.append(days);
      details.append(diagrams(it.instructive));
    };
    details.addEventListener("toggle", fill);
    if (isNew || days) parts.push(details);
  }
  if (players.length === 1 && players[0].progress.length > 1) parts.push(progress(players[0]));
  if (summary.endgames.length) {
    parts.push(make("h2", {}, t("endgames")),
      table("endgames", t("endgames"), [number("game"), text("side.W"), text("side.B"), text("position.now"), text("valueAtEntry"), text("valueAtEnd")],
        summary.endgames.map((it) => [
          opens(it.game, it.ply, String(it.game)), rows[it.game - 1].white, rows[it.game - 1].black, numberOf(it) + " " + it.fen,
          t("forWhite." + it.entry), t("forWhite." + it.end),
        ])));
  }
  parts.push(make("h2", {}, t("gamesList")));
  const turningPoint = ({ turning, number: game }) => {
    if (turning == null) return "";
    const { m, n } = games[game - 1];
    const { g, a } = n[turning];
    const shares = t("gaveAway", { before: percent(a[0]), after: percent(a[1]) });
    return `${numberIn(games[game - 1], turning)} ${short(m[turning])}${signOf(GRADES[g])} ${shares}`;
  };
  const reader = new Reader(games, rows, [
    ...heads(),
    { name: t("accuracyOfWhite"), text: (row) => rounded(row.accuracy[0]) },
    { name: t("accuracyOfBlack"), text: (row) => rounded(row.accuracy[1]) },
    { name: t("turningPointOf"), text: turningPoint, isText: true },
  ]);
  parts.push(reader.element);
  return { parts, reader };
};

/** The play of a player from day to day. @param {Records.Player} player */
const progress = ({ player, progress: days }) =>
  table("", t("progress") + ": " + player,
    [text("date"), ...["gamesCount", "accuracy", "inaccuracies", "gradeMistakes", "blunders"].map(number)],
    days.map((day) => [day.date, String(day.games), rounded(day.accuracy), ...["inaccuracies", "mistakes", "blunders"].map((key) => String(day[key]))]));
