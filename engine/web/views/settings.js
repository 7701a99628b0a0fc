// The user's choices for all visits: motion, sounds, the look of the board, the colours.

import { find, make } from "../base/dom.js";
import { keep, kept } from "../base/kept.js";
import { mini } from "../board/figure.js";

const KEPT = "settings";

/** The settings and their defaults. */
export const settings = {
  motion: true, sounds: true, board: "walnut", pieces: "turned", coordinates: "inside", theme: "system",
  evaluation: true,
};
const BOARDS = { walnut: "boardWalnut", slate: "boardSlate", moss: "boardMoss", stone: "boardStone" };
const PIECES = { turned: "piecesTurned", flat: "piecesFlat", wood: "piecesWood", red: "piecesRed" };
/** A corner with pieces of all kinds. */
const SAMPLE = "W" + "beeee" + "Bweee" + "eWeee" + "e".repeat(35);

/** @type {(() => void)} */
let onChange = () => {};

/** Whether the page is dark. */
export const isDark = () =>
  settings.theme === "dark" || (settings.theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);

const look = () => {
  const { dataset } = document.documentElement;
  dataset.board = settings.board;
  dataset.pieces = settings.pieces;
  dataset.coordinates = settings.coordinates;
  if (settings.theme === "system") delete dataset.theme;
  else dataset.theme = settings.theme;
};

/** Shows the settings in their fields. */
const show = () => {
  for (const name of Object.keys(settings)) {
    const field = /** @type {any} */ (find("set-" + name));
    if (field.type === "checkbox") field.checked = settings[name];
    else field.value = settings[name];
  }
};

/** Changes a setting, for this visit and later ones. */
export const set = (name, value) => {
  settings[name] = value;
  keep(KEPT, settings);
  show();
  look();
  onChange();
};

/** Restores the choices and listens for changes; changed() is called after each. */
export const connect = (changed) => {
  onChange = changed;
  const known = { board: BOARDS, pieces: PIECES };
  const before = kept(KEPT) ?? {};
  for (const name of Object.keys(settings)) {
    const isKnown = !known[name] || before[name] in known[name];
    if (isKnown && typeof before[name] === typeof settings[name]) settings[name] = before[name];
  }
  for (const [name, choices] of Object.entries(known)) {
    find("set-" + name).append(...Object.entries(choices).map(([value, text]) => {
      const sample = mini({ position: SAMPLE }, "");
      sample.setAttribute("viewBox", "0 0 40 40");
      sample.setAttribute("aria-hidden", "true");
      return make("button", { type: "button", role: "radio", value, ["data-" + name]: value }, sample, make("span", { "data-text": text }));
    }));
  }
  show();
  for (const name of Object.keys(settings)) {
    const field = /** @type {any} */ (find("set-" + name));
    field.addEventListener("change", () => set(name, field.type === "checkbox" ? field.checked : field.value));
  }
  look();
};
