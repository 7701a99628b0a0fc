// The user's choices for all visits: motion, sounds, the look of the board.

import { find } from "./dom.js";

const KEPT = "settings";

/** The settings and their defaults. */
export const settings = {
  motion: true, sounds: true, board: "wood", pieces: "classic", coordinates: "inside",
};

const look = () => {
  document.documentElement.dataset.board = settings.board;
  document.documentElement.dataset.pieces = settings.pieces;
  document.documentElement.dataset.coordinates = settings.coordinates;
};

/** Restores the choices and listens for changes; changed() is called after each. */
export const connect = (changed) => {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT)) ?? {};
    for (const name of Object.keys(settings)) {
      if (typeof kept[name] === typeof settings[name]) settings[name] = kept[name];
    }
  } catch {
    // Without storage the page begins with the defaults.
  }
  for (const name of Object.keys(settings)) {
    const field = find("set-" + name);
    if (field.type === "checkbox") field.checked = settings[name];
    else field.value = settings[name];
    // An option that no longer exists.
    if (field.value === "") settings[name] = field.value = field.options[0].value;
    field.addEventListener("change", () => {
      settings[name] = field.type === "checkbox" ? field.checked : field.value;
      try {
        localStorage.setItem(KEPT, JSON.stringify(settings));
      } catch {
        // Without storage the page forgets them.
      }
      look();
      changed();
    });
  }
  find("settings").addEventListener("click", () => find("look").showModal());
  look();
};
