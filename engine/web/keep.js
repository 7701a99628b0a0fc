// What lies on the desk outlasts the page: it is kept in the browser, for this tab and for the next
// visit. Who leaves with games that no file has is asked first.

import { find } from "./dom.js";
import { t } from "./texts.js";
import { Game } from "./tree.js";

const GAMES = "games";
const PLACE = "place";
const VERSION = 1;
/** Milliseconds after a change. */
const PAUSE = 200;
/** The fields whose choice is kept. */
const FIELDS = [
  "play-side", "play-from", "play-kind", "play-level", "play-time", "play-nodes", "lines", "arrows",
  "slice", "lesson-value",
];

/** The tab's own storage comes first: another tab may have written to the other. */
const storages = () => {
  try {
    return [sessionStorage, localStorage];
  } catch {
    // A page without storage forgets.
    return [];
  }
};

const read = (storage, name) => {
  try {
    const kept = JSON.parse(storage.getItem(name));
    return kept?.version === VERSION ? kept : null;
  } catch {
    return null;
  }
};

export class Keep {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   * @param {() => object} view what else of the page is to be kept.
   */
  constructor(desk, { say }, view) {
    this.desk = desk;
    this.say = say;
    this.view = view;
  }

  /** Puts back what was kept, and keeps from now on; gives the view, or null. */
  restore() {
    const { desk } = this;
    let view = null;
    const storage = storages().find((storage) => read(storage, GAMES));
    if (storage) view = this.open(read(storage, GAMES), read(storage, PLACE));
    this.edition = storage ? desk.edition : -1;
    desk.addEventListener("change", () => this.soon());
    addEventListener("change", () => this.soon());
    addEventListener("pagehide", () => this.save());
    addEventListener("beforeunload", (event) => {
      // A comment that is still being typed belongs to the game.
      const typing = /** @type {HTMLElement} */ (document.activeElement);
      if (typing?.matches("#score input, #game input")) typing.blur();
      this.save();
      if (desk.isUnsaved) event.preventDefault();
    });
    return view;
  }

  open({ games, isUnsaved }, place) {
    const { desk } = this;
    try {
      desk.games = games.map((record) => Game.read(record));
      desk.game = desk.games[place?.game] ?? desk.games[0];
      desk.node = desk.game.root;
      // As far as the way leads.
      for (const index of place?.path ?? []) desk.node = desk.node.children[index] ?? desk.node;
      desk.isUnsaved = isUnsaved;
    } catch {
      // What another version has kept is of no use.
      desk.games = [desk.game = new Game(desk.node.position)];
      desk.node = desk.game.root;
      return null;
    }
    for (const [id, value] of Object.entries(place?.fields ?? {})) {
      const field = find(id);
      if (!field) continue;
      const before = field.value;
      if (field.type === "checkbox") field.checked = value;
      else field.value = value;
      // An option that there is no more.
      if (field.value === "") field.value = before;
    }
    if (desk.games.some((game) => !game.isEmpty)) this.say(t("restored"));
    return place?.view ?? null;
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), PAUSE);
  }

  save() {
    clearTimeout(this.timer);
    const { desk } = this;
    const value = (field) => (field.type === "checkbox" ? field.checked : field.value);
    const path = desk.node.path().slice(1).map((node) => node.parent.children.indexOf(node));
    const fields = Object.fromEntries(FIELDS.map((id) => [id, value(find(id))]));
    const place = { version: VERSION, game: desk.games.indexOf(desk.game), path, fields, view: this.view() };
    const isNew = this.edition !== desk.edition;
    const games = isNew && this.record(desk.games);
    for (const storage of storages()) {
      try {
        storage.setItem(PLACE, JSON.stringify(place));
        if (isNew) storage.setItem(GAMES, games);
      } catch {
        this.keepOne(storage, place);
      }
    }
    this.edition = desk.edition;
  }

  record(games) {
    const { isUnsaved } = this.desk;
    return JSON.stringify({ version: VERSION, isUnsaved, games: games.map((game) => game.keep()) });
  }

  /** Where there is no room for all games, there is for the one on the board. */
  keepOne(storage, place) {
    this.say(t("tooLargeToKeep"));
    try {
      storage.setItem(GAMES, this.record([this.desk.game]));
      storage.setItem(PLACE, JSON.stringify({ ...place, game: 0 }));
    } catch {
      // What was kept before would come back as if it were the last.
      storage.removeItem(GAMES);
    }
  }
}
