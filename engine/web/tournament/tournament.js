// The page of a tournament in progress: it shows the program's updates as they come.
//
// Two kinds of events come: `table` with places, pairings and past events, and `games` with the
// boards. Clocks run between two events. After # in the address is the director's token, which is
// sent only with the director's commands.

import { Board, short, squares } from "../board/board.js";
import { events, meetings } from "./course.js";
import { open as openDirector } from "./director.js";
import { open as openMaker } from "./maker.js";
import { find, make } from "../base/dom.js";
import { chosen, setLanguage, speak, translate } from "../base/language.js";
import { LANGUAGES, men, t } from "../base/texts.js";

const at = /** @type {(id: string) => any} */ (find);

/** The last table and games. */
let table = null;
let games = null;
/** The arrival time of the games. */
let came = 0;

/** Cards by the numbers of their games. @type {Map<number, Card>} */
const cards = new Map();

const clock = (seconds) => {
  const whole = Math.floor(Math.abs(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(whole / 3600);
  const tenths = hours === 0 && whole < 60 ? "." + Math.floor((Math.abs(seconds) % 1) * 10) : "";
  return (seconds < 0 ? "-" : "") + (hours ? hours + ":" : "") + parts.join(":") + tenths;
};

/** A game in play. */
class Card {
  constructor() {
    this.board = new Board();
    this.title = make("h3");
    this.last = make("p", { class: "last" });
    this.board.svg.classList.add("mini");
    const side = (look) => {
      const parts = { name: make("b"), clock: make("span", { class: "clock" }), seen: make("span", { class: "seen" }) };
      return { ...parts, row: make("div", { class: "side" }, make("span", { class: "disc s" + look }), parts.name, parts.seen, parts.clock) };
    };
    this.sides = { white: side(""), black: side(" b") };
    this.node = make("article", { class: "card game" }, this.title, this.sides.black.row,
      make("div", { class: "picture" }, this.board.svg), this.sides.white.row, this.last);
    this.game = null;
  }

  show(game) {
    this.game = game;
    const move = Math.floor(game.ply / 2) + 1;
    this.title.textContent = `${t("live.game", { game: game.game })} · ${t("live.move", { move })}`;
    const moved = game.moves.at(-1);
    this.board.show({ position: game.position, last: moved ? squares(moved).slice(0, 2) : null });
    this.board.svg.setAttribute("role", "img");
    this.board.svg.setAttribute("aria-label", `${game.white.name} – ${game.black.name}: ${game.fen}`);
    const first = game.ply - game.moves.length;
    const texts = game.moves.map((text, index) => {
      const ply = first + index + (game.first === "B" ? 1 : 0);
      const number = Math.floor(ply / 2) + 1;
      return (ply % 2 === 0 ? `${number}. ` : index === 0 ? `${number}... ` : "") + short(text);
    });
    this.last.textContent = texts.slice(-8).join(" ");
    for (const color of ["white", "black"]) {
      const { name, seen } = this.sides[color];
      const side = game[color];
      name.textContent = side.name;
      const said = [];
      if (side.score !== null) said.push(men(side.score));
      if (side.depth !== null) said.push(t("live.depth", { depth: side.depth }));
      seen.textContent = said.join(" · ");
    }
    this.tick();
  }

  /** Shows the clocks as they are now. */
  tick() {
    const { game } = this;
    for (const color of ["white", "black"]) {
      const { clock: shown } = this.sides[color];
      const runs = game.thinking_s !== null && game.turn === color;
      const spent = runs ? game.thinking_s + (performance.now() - came) / 1000 : 0;
      const { left_s: left } = game[color];
      shown.textContent = left === null ? (runs ? clock(spent) : "") : clock(left - spent);
      shown.classList.toggle("runs", runs);
    }
  }
}

const showGames = () => {
  if (!games?.games) return;
  const numbers = new Set(games.games.map((game) => game.game));
  for (const [number, card] of cards) {
    if (numbers.has(number)) continue;
    card.node.remove();
    cards.delete(number);
  }
  for (const game of games.games) {
    if (!cards.has(game.game)) {
      const card = new Card();
      cards.set(game.game, card);
      at("games").append(card.node);
    }
    cards.get(game.game).show(game);
  }
  at("no-games").hidden = numbers.size > 0;
};

const tieBreaks = { buchholz: "Buchholz", buchholz_cut_1: "Buchholz cut 1", sonneborn_berger: "Sonneborn-Berger" };

const showPlaces = ({ places, rounds }) => {
  const ties = Object.keys(tieBreaks).filter((key) => places[0]?.[key] !== undefined);
  const head = (text, name = false) => make("th", { scope: "col", class: name ? "name" : null }, text);
  at("places").tHead.replaceChildren(make("tr", {},
    head(t("live.place")), head(t("live.number")), head(t("live.player"), true), head(t("live.points")),
    ...ties.map((key) => head(tieBreaks[key])), head(t("live.wins")),
    ...rounds.map(({ round }) => head(t("live.round", { round })))));
  at("places").tBodies[0].replaceChildren(...places.map((place) => make("tr", { class: place.withdrawn ? "gone" : null },
    make("td", {}, String(place.place)), make("td", {}, String(place.number)),
    make("th", { scope: "row", class: "name" }, place.name), make("td", {}, place.points.toFixed(1)),
    ...ties.map((key) => make("td", {}, String(place[key]))), make("td", {}, String(place.wins)),
    ...place.rounds.map((cell) => make("td", {}, cell)))));
};

const showTable = () => {
  at("wait").hidden = !(at("course").hidden = !table?.tournament);
  direct();
  if (!table?.tournament) return;
  const { tournament, state, next, feed } = table;
  document.title = at("event").textContent = tournament.event;
  const round = tournament.round ? t("live.round", { round: tournament.round }) + ": " : "";
  at("state").textContent = round + t("live.state." + state);
  const rest = state === "break" ? feed.findLast(({ kind }) => kind === "break") : null;
  const begin = rest ? new Date(1000 * (rest.at + parseInt(rest.detail))).toLocaleTimeString(t.language, { timeStyle: "short" }) : "";
  at("no-games").textContent = t("live.noGames") + (rest ? " " + t("live.begins", { round: rest.round, time: begin }) : "");
  at("state").className = "chip " + ({ playing: "win", paused: "due", stopping: "due" }[state] ?? "on");
  showPlaces(tournament);
  const last = tournament.rounds.at(-1);
  at("round-title").hidden = !last;
  at("round-title").textContent = last ? t("live.round", { round: last.round }) : "";
  at("round").replaceChildren(...meetings(last));
  at("next-part").hidden = !next;
  at("next-title").textContent = next ? t("live.next", { round: next.round }) : "";
  at("next").replaceChildren(...meetings(next));
  at("feed").replaceChildren(...events(feed));
};

/** What the director's page has now, `make` or `director`, and what shows it again. */
let part = "";
let redraw = () => {};

/** Shows the director's buttons or, before the tournament begins, the form that makes it. */
const direct = async () => {
  const token = decodeURIComponent(location.hash.slice(1));
  const now = table?.tournament ? "director" : "make";
  if (!token) return;
  if (now === part) return redraw();
  part = now;
  const shows = now === "make" ? await openMaker(token).catch(() => redraw) : openDirector(at("director"), token, () => table);
  if (part === now) redraw = shows;
  if (part !== "make") at("make").hidden = true;
};

const isOver = () => ["over", "interrupted"].includes(table?.state);

const follow = () => {
  const source = new EventSource("v1/live");
  source.addEventListener("open", () => (at("lost").hidden = true));
  source.addEventListener("error", () => {
    at("lost").hidden = isOver();
    // A browser stops asking after a refusal, but the tournament may continue after a restart.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(follow, 5000);
  });
  source.addEventListener("table", ({ data }) => {
    table = JSON.parse(data);
    showTable();
  });
  source.addEventListener("games", ({ data }) => {
    games = JSON.parse(data);
    came = performance.now();
    showGames();
  });
};

const begin = async () => {
  await speak(chosen());
  const options = Object.entries(LANGUAGES).map(([code, name]) => make("option", { value: code }, name));
  at("language").append(...options);
  at("language").value = t.language;
  at("language").addEventListener("change", async () => {
    await setLanguage(at("language").value);
    at("language").value = t.language;
    showTable();
    showGames();
  });
  translate();
  setInterval(() => cards.forEach((card) => card.tick()), 200);
  follow();
};

begin();
