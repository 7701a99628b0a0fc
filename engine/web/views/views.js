// The views: the entries of the rail, the tabs beside the board, and what the panel shows.

import { all, find, nextByKey, on } from "../base/dom.js";

/** The views, each with its entry of the rail. */
const ENTRIES = {
  play: "play", analysis: "analysis", endgames: "analysis", setup: "analysis", book: "analysis", game: "analysis",
  learn: "learn", database: "database",
};
/** The pages without the desk. */
const PAGES = ["learn", "database"];

export class Views {
  /**
   * @param {(view: string) => string} state what the panel shows in a view: a word of the attributes data-in,
   *   or the name of a page.
   * @param {(view: string, isEntered: boolean) => void} opened called with a view that is opened; it shows it.
   */
  constructor(state, opened) {
    this.stateOf = state;
    this.opened = opened;
    this.current = "play";
    /** The view shown before the current one, if any. @type {string | undefined} */
    this.before = undefined;
    /** The last view of the analysis, to which its entry leads. */
    this.analysis = "analysis";
    for (const entry of all("#rail [data-view]")) {
      entry.addEventListener("click", (event) => {
        event.preventDefault();
        const { view } = entry.dataset;
        this.open(view === "analysis" && ENTRIES[this.current] !== "analysis" ? this.analysis : view, true);
      });
    }
    this.tabs = all("#tabs [data-view]");
    for (const tab of this.tabs) tab.addEventListener("click", () => this.open(tab.dataset.view));
    on("tabs", "keydown", (event) => {
      const next = nextByKey(this.tabs, event);
      if (!next) return;
      this.open(next.dataset.view);
      next.focus();
    });
  }

  /** Shows a view; `isEntered` is true when its entry of the rail was used. */
  open(view, isEntered = false) {
    const known = view in ENTRIES ? view : "play";
    if (known !== this.current) this.before = this.current;
    this.current = known;
    if (ENTRIES[known] === "analysis" && known !== "setup") this.analysis = known;
    this.opened(known, isEntered);
  }

  /** Goes back from a view that takes the panel. */
  leave() {
    this.open(this.before && this.before !== this.current ? this.before : "analysis");
  }

  /** Shows what belongs to the state of things. */
  show() {
    const { current } = this;
    const state = this.stateOf(current);
    const isPage = PAGES.includes(state);
    document.body.dataset.state = state;
    find("desk").hidden = isPage;
    for (const page of PAGES) find(page).hidden = state !== page;
    for (const node of all("[data-in]")) node.hidden = !node.dataset.in.split(" ").includes(state);
    for (const entry of all("#rail [data-view]:not(.logo)")) {
      entry.ariaCurrent = entry.dataset.view === ENTRIES[current] ? "page" : null;
    }
    for (const tab of this.tabs) {
      const isChosen = tab.dataset.view === current;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
    // The moves fill the panel in a game; elsewhere a phone has a strip of them.
    find("moves").classList.toggle("strip", !["playing", "over"].includes(state));
    const place = find(state === "database" ? "db-board" : "hold");
    if (find("frame").parentNode !== place) place.append(find("frame"));
    const messages = isPage ? document.body : find("panel");
    if (find("say").parentNode !== messages) messages.append(find("say"), find("waiting"));
    this.state = state;
  }
}
