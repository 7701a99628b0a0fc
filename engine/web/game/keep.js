// Keeps the desk in the browser, for this tab and for the next visit. Asks a user who leaves with
// unsaved games.

import { Archive } from "./archive.js";
import { find } from "../base/dom.js";
import { t } from "../base/texts.js";
import { Part } from "./part.js";
import { Game } from "./tree.js";

const GAMES = "games";
const PLACE = "place";
const VERSION = 1;
/** Milliseconds after a change. */
const PAUSE = 200;
/** The fields whose values are kept. */
const FIELDS = [
  "play-side", "play-variant", "play-clock", "play-from", "play-kind", "play-level", "play-time", "play-nodes", "lines", "arrows",
  "report-nodes", "slice", "lesson-value", "game-source",
];

/** The tab's own storage comes first: another tab may have written to the other. */
const storages = () => {
  try {
    return [sessionStorage, localStorage];
  } catch {
    // Without storage the page forgets it.
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

export class Keep extends Part {
  /** @param {() => object} view the rest of the page's state to keep. */
  constructor(desk, page, view) {
    super(desk, page);
    this.view = view;
    /** @type {Archive | null} */
    this.archive = null;
    /** The names of earlier desks in the archive. @type {WeakMap<Game[], string>} */
    this.ids = new WeakMap();
    /** Called when the archive has changed. */
    this.onKept = () => {};
  }

  /** Restores the kept state, and keeps it from now on; returns the view, or null. */
  async restore() {
    const { desk } = this;
    let view = null;
    this.archive = await Archive.open();
    const storage = storages().find((storage) => read(storage, GAMES) ?? read(storage, PLACE)?.whole);
    if (storage) {
      const place = read(storage, PLACE);
      // Games too large for the storage are in the archive.
      const whole = place?.whole && (await this.archive?.get(place.id).catch(() => undefined));
      if (whole || read(storage, GAMES)) view = this.open(whole ? JSON.parse(whole.kept) : read(storage, GAMES), whole ? { ...place, game: place.whole.game } : place);
      if (place?.id) this.ids.set(desk.games, place.id);
    }
    this.edition = storage ? desk.edition : -1;
    desk.addEventListener("change", () => this.soon());
    addEventListener("change", () => this.soon());
    addEventListener("pagehide", () => this.save());
    addEventListener("beforeunload", (event) => {
      // A comment still being typed belongs to the game.
      const typing = /** @type {HTMLElement} */ (document.activeElement);
      if (typing?.matches("#comment, #names input")) typing.blur();
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
      // As far as the path exists.
      for (const index of place?.path ?? []) desk.node = desk.node.children[index] ?? desk.node;
      desk.isUnsaved = isUnsaved;
    } catch {
      // Data of another version are useless.
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
      // An option that no longer exists.
      if (field.value === "") field.value = before;
    }
    // A link shows something else in a moment.
    const isLink = location.hash.includes("=") || new URLSearchParams(location.search).has("pdn");
    if (!isLink && desk.games.some((game) => !game.isEmpty)) this.say(t("restored"));
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
    const place = {
      version: VERSION, id: this.id, game: desk.games.indexOf(desk.game), path, fields, view: this.view(),
      whole: this.isTooLarge ? { game: desk.games.indexOf(desk.game) } : undefined,
    };
    const isNew = this.edition !== desk.edition;
    const games = isNew && this.record(desk.games);
    if (isNew) this.isTooLarge = false;
    const kept = isNew ? this.put(games) : Promise.resolve();
    for (const storage of storages()) {
      try {
        storage.setItem(PLACE, JSON.stringify(place));
        if (isNew) storage.setItem(GAMES, games);
      } catch {
        this.keepOne(storage, place);
      }
    }
    this.edition = desk.edition;
    return kept;
  }

  /** The name of this desk in the archive. */
  get id() {
    const { games } = this.desk;
    if (!this.ids.has(games)) this.ids.set(games, Date.now().toString(36) + Math.random().toString(36).slice(2, 8));
    return this.ids.get(games);
  }

  /** Puts the contents of the desk into the archive, unless it is empty. */
  async put(kept) {
    const { games, game } = this.desk;
    if (!this.archive || !games.some((one) => !one.isEmpty)) return;
    const { title, result } = game;
    const plies = game.root.line().length - 1;
    try {
      const played = game.against && { ...game.against, isRunning: game.task?.kind === "play" };
      await this.archive.put({ id: this.id, when: Date.now(), title, count: games.length, plies, result, ...played, kept });
      this.onKept();
    } catch {
      // Without room in the archive only the storages are left.
      this.archive = null;
    }
  }

  /** Puts something from the archive on the desk. */
  bring(id, { games, isUnsaved }) {
    const { desk } = this;
    desk.open(games.map((record) => Game.read(record)));
    this.ids.set(desk.games, id);
    desk.isUnsaved = isUnsaved;
    desk.changed();
  }

  record(games) {
    const { isUnsaved } = this.desk;
    return JSON.stringify({ version: VERSION, isUnsaved, games: games.map((game) => game.keep()) });
  }

  /** Without room for all games, the one on the board is kept. */
  keepOne(storage, place) {
    if (!this.archive) this.say(t("tooLargeToKeep"));
    this.isTooLarge = true;
    try {
      const whole = this.archive ? { game: place.game } : undefined;
      storage.setItem(PLACE, JSON.stringify({ ...place, game: 0, whole }));
      storage.setItem(GAMES, this.record([this.desk.game]));
    } catch {
      // Otherwise the next visit would restore an older state.
      storage.removeItem(GAMES);
    }
  }
}
