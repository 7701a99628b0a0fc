// The director's commands on the page of a tournament. Each button sends one line, as typed at the
// terminal.

import { make } from "../base/dom.js";

/**
 * Puts the buttons into a section.
 * @param {HTMLElement} section
 * @param {string} token
 */
export const open = (section, token) => {
  const says = make("p", { role: "status" });

  const say = async (line) => {
    says.textContent = "…";
    says.classList.remove("problem");
    try {
      const headers = { Authorization: "Bearer " + token, "Content-Type": "text/plain" };
      const response = await fetch("v1/director", { method: "POST", headers, body: line });
      const answer = await response.json();
      says.classList.toggle("problem", !response.ok);
      says.textContent = response.ok ? answer.said || "done: " + line : answer.detail || answer.title;
    } catch (error) {
      says.classList.add("problem");
      says.textContent = "The tournament does not answer: " + error.message;
    }
  };

  const button = (line, text) => make("button", { type: "button", class: "btn", click: () => say(line) }, text);

  /** A form that sends a word with the values of its fields, once the director confirms. */
  const form = (word, text, question, ...fields) => {
    const sent = (event) => {
      event.preventDefault();
      const line = [word, ...fields.map(({ field }) => field.value.trim())].join(" ");
      if (confirm(question + "\n\n" + line)) say(line);
    };
    const labels = fields.map(({ name, field }) => make("label", {}, name + " ", field));
    return make("form", { submit: sent }, ...labels, make("button", { type: "submit", class: "btn" }, text));
  };
  const game = () => ({ name: "Game", field: make("input", { class: "input", required: true, pattern: "([0-9]+\\.)?[0-9]+", autocomplete: "off", title: "the number of a game, such as 7 or 2.7" }) });
  const results = ["2-0", "1-1", "0-2", "0-0"].map((result) => make("option", {}, result));
  const result = { name: "Result", field: make("select", { class: "input" }, ...results) };
  const player = { name: "Player", field: make("input", { class: "input", required: true, autocomplete: "off" }) };

  section.append(make("div", { class: "pad stack" },
    make("div", { class: "row" }, button("pause", "Pause"), button("resume", "Resume"), button("stop", "Stop after this round")),
    form("annul", "Annul", "The game does not count.", game()),
    form("replay", "Play again", "The game is played again.", game()),
    form("score", "Score", "The game gets this result.", game(), result),
    form("withdraw", "Withdraw", "The player will not be paired again.", player),
    says,
  ));
  section.hidden = false;
};
