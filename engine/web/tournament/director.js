// The director's commands on the page of a tournament. Each button sends one line, as typed at the
// terminal.

import { make } from "../base/dom.js";
import { has, t } from "../base/texts.js";

/** Sends the director's words, or a question; returns the answer. */
export const post = async (path, token, body = "") => {
  const headers = { Authorization: "Bearer " + token, "Content-Type": "text/plain" };
  const response = await fetch(path, { method: "POST", headers, body }).catch((error) => {
    throw new Error(t("director.lost", { why: error.message }));
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail || answer.title);
  return answer;
};

/** The games that can be decided, the latest first, and the players: values and names. */
const choices = (table) => {
  const { rounds = [], places = [] } = table?.tournament ?? {};
  const games = rounds.flatMap((round) => round.games).filter(({ game }) => game).reverse();
  const named = ({ game, white, black, result }) => [game, `${game}. ${white} – ${black}${result ? " " + result : ""}`];
  return {
    game: games.map(named),
    open: games.filter(({ result }) => !result).map(named).reverse(),
    player: places.filter(({ withdrawn }) => !withdrawn).map(({ name }) => [name, name]),
    result: ["2-0", "1-1", "0-2", "0-0"].map((result) => [result, result]),
    minutes: [0, 1, 5, 10, 15, 30, 60].map((minutes) => [60 * minutes, minutes]),
  };
};

/**
 * Puts the buttons into a section; returns a function that shows them again: the table or the language
 * has changed.
 * @param {HTMLElement} section
 * @param {string} token
 * @param {() => any} table the last table.
 */
export const open = (section, token, table) => {
  const says = make("p", { role: "status" });

  /** Sends a line; `named` says it in the user's language. */
  const say = async (line, named) => {
    says.textContent = "…";
    says.classList.remove("problem");
    try {
      await post("v1/director", token, line);
      says.textContent = t("director.done", { line: named });
    } catch (error) {
      says.classList.add("problem");
      says.textContent = error.message;
    }
  };

  const button = (word) => make("button", { type: "button", class: "btn", click: () => say(word, t("director." + word)) }, t("director." + word));

  /** The lists to choose from, by what they hold. @type {{ kind: string, list: HTMLSelectElement }[]} */
  let lists = [];

  /** A form that sends a word with the chosen values, once the director confirms. */
  const form = (word, ...kinds) => {
    const fields = kinds.map((kind) => ({ kind, list: /** @type {HTMLSelectElement} */ (make("select", { class: "input", required: true })) }));
    lists.push(...fields);
    const sent = (event) => {
      event.preventDefault();
      const names = fields.map(({ list }) => list.selectedOptions[0].text).join(" ");
      const line = [word, ...fields.map(({ list }) => list.value)].join(" ");
      if (!has(`director.${word}Sure`) || confirm(`${t(`director.${word}Sure`)}\n\n${names}`)) say(line, `${t("director." + word)}: ${names}`);
    };
    const labels = fields.map(({ kind, list }) => make("label", {}, t("director." + (kind === "open" ? "game" : kind)) + " ", list));
    return make("form", { submit: sent }, ...labels, make("button", { type: "submit", class: "btn" }, t("director." + word)));
  };

  /** Fills the lists; what is chosen stays chosen. */
  const fill = () => {
    const all = choices(table());
    for (const { kind, list } of lists) {
      const { value } = list;
      if (list.matches(":focus") && list.options.length) continue;
      list.replaceChildren(...all[kind].map(([value, name]) => make("option", { value }, name)));
      if (all[kind].some(([one]) => String(one) === value)) list.value = value;
    }
  };

  let language = "";
  const draw = () => {
    if (language !== t.language) {
      language = t.language;
      lists = [];
      section.replaceChildren(make("div", { class: "pad stack" },
        make("div", { class: "row wrapped" }, ...["pause", "resume", "stop"].map(button)),
        form("later", "open"), form("break", "minutes"), form("annul", "game"), form("replay", "game"), form("score", "game", "result"), form("withdraw", "player"), says));
      section.hidden = false;
    }
    fill();
  };
  draw();
  return draw;
};
