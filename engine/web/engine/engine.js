// All parts of the page ask the engine here. After a temporary problem (the server is gone, all
// searches are in use) a question is asked again until it is answered or no longer wanted;
// meanwhile the page says why it waits. A refusal throws a Problem.

import { find, onClick } from "../base/dom.js";
import { Problem } from "./problem.js";
import { t } from "../base/texts.js";

/** Milliseconds to wait before a question is asked again: at first, and at most. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [1000, 5000];
/** Milliseconds after which the page says that it waits, and between questions how far a file is. */
const [SLOW, POLL] = [300, 1000];
/** A question that does not fail again within this many milliseconds counts as being answered. */
const SOON = 2000;

/** Waits for an answer, and says so if it takes more than a moment. @template T @param {Promise<T>} answer */
export const whileSlow = (answer, say) => {
  const timer = setTimeout(say, SLOW);
  return answer.finally(() => clearTimeout(timer));
};

export class Engine {
  /** open: makes a connection, a {@link Server} or a {@link Local}. */
  static async connect(open) {
    const engine = new Engine();
    engine.connection = await engine.insist(open);
    engine.about = engine.connection.about;
    return engine;
  }

  constructor() {
    /** @type {import("./server.js").Server | import("./local.js").Local} */
    this.connection = null;
    /** The features and limits of the engine. @type {Answers["server"]} */
    this.about = null;
    /** The questions being asked again, each with its problem and a function that asks it at once. */
    this.waiting = new Set();
    /** What takes long, in words. @type {Set<{ text: string }>} */
    this.works = new Set();
    onClick("again", () => this.waiting.forEach(({ now }) => now?.()));
  }

  /** The page can be used: there is time to prepare later questions, and to fetch the large evaluation if it is wanted. */
  async prepare(isStrong) {
    await this.connection.prepare();
    await this.strengthen(isStrong);
  }

  /** The user wants the large evaluation, or does not. */
  strengthen(isStrong) {
    return this.connection.strengthen(isStrong);
  }

  /** An endgame is near. */
  foresee() {
    this.connection.foresee();
  }

  /**
   * The answer of a route: an object, or a text where it is not JSON. The query can be a function,
   * called each time the question is asked. If the user waits for the answer, `isAwaited`, a refusal
   * is not thrown: the page says so, and the user can ask again.
   * @template {keyof Answers} R
   * @param {R} route
   * @param {object | (() => object)} [query]
   * With the name of a file, the page says how far it is.
   * @param {{ signal?: AbortSignal, isAwaited?: boolean, body?: string | Uint8Array<ArrayBuffer>, media?: string, name?: string }} [options]
   * @returns {Promise<Answers[R]>}
   */
  async ask(route, query = {}, { signal, isAwaited, name, ...more } = {}) {
    const given = () => (typeof query === "function" ? query() : query);
    const work = name ? this.work(name) : null;
    try {
      return await this.insist(() => this.connection.ask(route, given(), { signal, sent: work?.sent, ...more }), { signal, isAwaited });
    } finally {
      work?.end();
    }
  }

  /** Games as PDN. @param {import("../game/tree.js").Game[]} games @param {string} [name] */
  write(games, name) {
    return this.ask("pdn", {}, { body: JSON.stringify({ games: games.map((game) => game.write()) }), media: "application/json", name });
  }

  /** Says what happens with a file, if it takes more than a moment. */
  work(name) {
    const entry = { text: t("readsFile", { name }) };
    const timer = setTimeout(() => {
      this.works.add(entry);
      this.show();
    }, SLOW);
    const say = (text) => {
      entry.text = text;
      this.show();
    };
    const end = () => {
      clearTimeout(timer);
      if (this.works.delete(entry)) this.show();
    };
    // In tenths, so that it can be read aloud.
    const sent = (share) => say(share < 1 ? t("sendsFile", { name, share: 10 * Math.floor(10 * share) }) : t("readsFile", { name }));
    return { say, sent, end };
  }

  /**
   * Adds the games of a file to the games of the server, or of the browser. The import has a name: if the
   * connection fails it is asked for again, and it is never made twice.
   * @param {string | Uint8Array<ArrayBuffer>} body
   * @param {string} name
   * @returns {Promise<Answers["games/import"]>}
   */
  async add(body, name) {
    const job = [...crypto.getRandomValues(new Uint32Array(3))].join("-");
    const work = this.work(name);
    /** @param {any} state */
    const tell = (state) => state?.type === "import_job" && state.games && work.say(t("addsGames", { name, count: state.games }));
    const unknown = (problem) => {
      if (problem.name !== "not-known") throw problem;
    };
    const timer = setInterval(() => this.connection.ask("games/job", { job }).then(tell, () => {}), POLL);
    try {
      for (;;) {
        const answer = await this.connection.ask("games/import", { job }, { body, sent: work.sent }).catch((problem) => {
          if (!problem.passes) throw problem;
        });
        clearInterval(timer);
        if (answer) return answer;
        // The connection is gone, or others import: did the games arrive?
        for (;;) {
          const state = /** @type {any} */ (await this.ask("games/job", { job }).catch(unknown));
          if (state && state.type !== "import_job") return state;
          tell(state);
          await new Promise((go) => setTimeout(go, POLL));
          if (!state) break;
        }
      }
    } finally {
      clearInterval(timer);
      work.end();
    }
  }

  /**
   * Analyses a position until the signal or the end of the search; listener gets each `info`.
   * @param {object} query
   * @param {(info: Records.InfoRecord) => void} listener
   * @param {AbortSignal} [signal]
   * @param {string} [purpose] a new analysis ends the previous one of the same purpose.
   * @returns {Promise<Records.ResultRecord>}
   */
  analyse(query, listener, signal, purpose = "analyse") {
    const attempt = (heard) => {
      const hear = (info) => {
        heard();
        listener(info);
      };
      return this.connection.analyse(query, hear, signal, purpose);
    };
    return this.insist(attempt, { signal });
  }

  /**
   * Tries until it succeeds, is refused or is no longer wanted. An attempt can call its argument
   * when it need not be waited for.
   * @template T
   * @param {(done: () => void) => Promise<T>} attempt
   * @param {{ signal?: AbortSignal, isAwaited?: boolean }} [options]
   * @returns {Promise<T>}
   */
  async insist(attempt, { signal, isAwaited } = {}) {
    const entry = /** @type {any} */ ({});
    const done = () => {
      clearTimeout(entry.soon);
      if (this.waiting.delete(entry)) this.show();
    };
    try {
      for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
        signal?.throwIfAborted();
        try {
          entry.soon = setTimeout(done, SOON);
          return await attempt(done);
        } catch (problem) {
          clearTimeout(entry.soon);
          signal?.throwIfAborted();
          const isKnown = problem instanceof Problem;
          if (!isKnown || !(problem.passes || problem.isFault || isAwaited)) throw problem;
          entry.problem = problem;
          // A search can become free at any moment, and the first to ask gets it.
          const next = problem.name === "busy" ? FIRST_PAUSE : pause;
          await this.wait(entry, problem.passes ? next : null, signal);
        }
      }
    } finally {
      done();
    }
  }

  /** Waits this long, or for ever, until the user asks again or the signal ends it. */
  wait(entry, pause, signal) {
    return new Promise((resolve) => {
      const timer = pause !== null && setTimeout(resolve, pause);
      entry.now = () => {
        clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener("abort", entry.now, { once: true });
      this.waiting.add(entry);
      this.show();
    });
  }

  /** Says what the page waits for. */
  show() {
    const last = [...this.waiting].at(-1)?.problem;
    const work = [...this.works].at(-1);
    find("waiting").hidden = !last && !work;
    find("again").hidden = !last;
    const text = last ? last.text + (last.passes ? " " + t("asksAgain") : "") : work?.text ?? "";
    // Unchanged text is not announced again.
    if (find("waiting-text").textContent !== text) find("waiting-text").textContent = text;
  }
}
