// The engine as WebAssembly, for a site without a server. A visit begins with the answers to the first
// questions (first.json), with which the board can be used; the engine is on its way. The endgame databases
// come when one is near.
//
// Several workers hold the module: one answers questions at once, one
// finds moves, and one for each purpose analyses. A worker is ended when its search is no longer wanted,
// because a running search takes no messages.

import { Collection } from "./collection.js";
import { Problem } from "./problem.js";
import { beside, compiled, isInParts, load, unpacked } from "./program.js";

const [ENGINE, DATABASES, EVALUATION] = ["meerslag.wasm.gz", "databases.bin.gz", "evaluation.bin.gz"];
/** Questions that need databases. */
const BY_DATABASES = ["probe", "line", "position", "judge"];
/** Milliseconds for a newer site to replace this one. */
const LONGEST = 3000;
/** Searches, each with its own worker. */
const SEARCHES = ["play", "analyse"];

class Helper {
  constructor(module) {
    this.worker = new Worker(beside("engine/worker.js"), { type: "module" });
    this.isDead = false;
    this.hasDatabases = false;
    /** The evaluation that it has been given. @type {ArrayBuffer | null} */
    this.weights = null;
    this.waiting = new Map();
    this.worker.addEventListener("message", ({ data: { id, event, data } }) => {
      this.waiting.get(id)?.(event, data);
    });
    this.worker.addEventListener("error", (error) => {
      // The page says it.
      error.preventDefault();
      this.fail(error.message);
    });
    this.worker.postMessage({ module });
    this.last = 0;
  }

  send(request, listener) {
    const id = ++this.last;
    this.waiting.set(id, (event, data) => {
      if (event !== "position" && event !== "info") this.waiting.delete(id);
      listener(event, data);
    });
    this.worker.postMessage({ id, ...request });
  }

  /** From the next request on the module has the databases, and asks for parts of the large ones. */
  give(databases, large) {
    if (this.hasDatabases || !databases) return;
    this.hasDatabases = true;
    this.worker.postMessage({ databases, large });
  }

  /** From the next search on the module has this evaluation. */
  weigh(weights) {
    if (weights && !this.weights) this.worker.postMessage({ weights });
    this.weights = weights;
  }

  /** The worker ended, for lack of memory or because of a bug. */
  fail(detail) {
    this.isDead = true;
    this.worker.terminate();
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const listener of waiting) listener("problem", { type: "#worker", detail });
  }

  get isBusy() {
    return this.waiting.size > 0;
  }
}

/** The outcome of a promise while it is wanted. */
const wanted = (promise, signal) => new Promise((resolve, reject) => {
  promise.then(resolve, reject);
  signal?.addEventListener("abort", () => reject(signal.reason));
});

export class Local {
  /** @type {Answers["server"]} */
  about = null;

  static async connect(local = new Local()) {
    await Local.renew();
    local.first = await load(beside("first.json"), (response) => response.json());
    // The page has its own database.
    local.about = { ...local.first.server, has_games: true, takes_games: true };
    return local;
  }

  /** A newer site, fetched in an earlier visit, replaces this one. */
  static async renew() {
    const { serviceWorker } = navigator;
    const waiting = (await serviceWorker?.getRegistration())?.waiting;
    if (!waiting) return;
    const changed = new Promise((resolve) => serviceWorker.addEventListener("controllerchange", () => resolve(true)));
    waiting.postMessage("take over");
    // The old one runs as long as the browser has work for it.
    if (!(await Promise.race([changed, new Promise((resolve) => setTimeout(resolve, LONGEST))]))) return;
    location.reload();
    await new Promise(() => {});
  }

  constructor() {
    /**
     * Answers to the first questions, by their names.
     * @type {Partial<Answers> & { large?: { name: string, bytes: number } }}
     */
    this.first = {};
    this.helpers = new Map();
    this.collection = new Collection((route, query, body) => this.ask(route, query, { body }));
    /** Files that are loaded or being loaded. @type {Map<string, Promise<any>>} */
    this.files = new Map();
    /** @type {ArrayBuffer | null} */
    this.databases = null;
    this.isStrong = false;
    /** The large evaluation, if it is wanted and has come. @type {ArrayBuffer | null} */
    this.weights = null;
    /** The file of large databases, if the site has one and its host sends parts. */
    this.large = undefined;
  }

  /** Fetches a file, once. */
  once(name, get) {
    if (!this.files.has(name)) {
      const file = get(name);
      this.files.set(name, file);
      file.catch(() => this.files.delete(name));
    }
    return this.files.get(name);
  }

  engine() {
    return this.once(ENGINE, compiled);
  }

  async endgames() {
    const { large } = this.first;
    if (large && !this.databases && (await this.once(large.name, isInParts))) this.large = large;
    this.databases = await this.once(DATABASES, unpacked);
  }

  /** The page can be used: stores the site for use offline, when the line is free. */
  async prepare() {
    await this.engine().catch(() => {});
    // Browsers allow no service worker over an insecure connection.
    const registration = await navigator.serviceWorker?.register("offline.js");
    // Without a network no newer site can be found.
    await registration?.update().catch(() => {});
  }

  /** Fetches the large evaluation, unless the user does not want it or the line is slow or dear. It takes over between two searches. */
  async strengthen(isWanted) {
    const { saveData, effectiveType = "" } = /** @type {any} */ (navigator).connection ?? {};
    this.isStrong = isWanted && !saveData && !/2g|3g/.test(effectiveType);
    // Without it searches go on as before.
    const weights = this.isStrong ? await this.once(EVALUATION, unpacked).catch(() => null) : null;
    // The wish may have changed meanwhile.
    this.weights = this.isStrong ? weights : null;
  }

  /** An endgame is near. */
  foresee() {
    // A search continues without databases, and a question about an endgame reports the failure.
    this.endgames().catch(() => {});
  }

  /** The worker for this kind of work; one that has ended is replaced. */
  helper(kind, module) {
    if (this.helpers.get(kind)?.isDead ?? true) this.helpers.set(kind, new Helper(module));
    return this.helpers.get(kind);
  }

  /** Ends the running search of a worker, and a worker with the large evaluation when that is not wanted any more. */
  end(kind, helper = this.helpers.get(kind)) {
    const isNeeded = !helper?.isBusy && (this.weights || !helper?.weights);
    if (isNeeded || helper !== this.helpers.get(kind)) return;
    helper.worker.terminate();
    this.helpers.delete(kind);
  }

  /** Sends a request to the worker for it, and returns its last event; an analysis has a purpose. */
  async request(request, signal, listener, purpose = request.route) {
    const { route } = request;
    const isSearch = SEARCHES.includes(route) || request.query.nodes > 0;
    const kind = isSearch ? purpose : "answers";
    const module = await wanted(this.engine(), signal);
    if (BY_DATABASES.includes(route)) await wanted(this.endgames(), signal);
    if (isSearch) this.end(kind);
    const helper = this.helper(kind, module);
    helper.give(this.databases, kind === "answers" ? this.large : undefined);
    if (isSearch) helper.weigh(this.weights);
    return new Promise((resolve, reject) => {
      helper.send(request, (event, data) => {
        if (event === "problem") reject(new Problem(data));
        else if (event === "info") listener?.(data);
        else if (event !== "position") resolve(data);
      });
      signal?.addEventListener("abort", () => {
        if (isSearch) this.end(kind, helper);
        reject(signal.reason);
      });
    });
  }

  /** The answer, if it came with the page: its name is the route, and the moves and level that are asked about. */
  known(route, query) {
    const { fen, moves, level, time, ...more } = /** @type {Record<string, string>} */ (query);
    const isFirst = (!fen || fen === this.first.legal?.hub) && Object.keys(more).length === 0;
    // A weak level ends its search by itself.
    return isFirst && (!time || level) ? this.first[[route, moves, level].filter(Boolean).join(" ")] : undefined;
  }

  /**
   * As {@link Server.ask}.
   * @param {{ signal?: AbortSignal, body?: string | Uint8Array<ArrayBuffer>, media?: string }} [options]
   */
  async ask(route, query = {}, options = {}) {
    const { signal, body } = options;
    if (route.startsWith("games/")) return this.collection.ask(route, query, body);
    return this.known(route, query) ?? this.request({ route, query, body }, signal);
  }

  /** As {@link Server.analyse}. */
  analyse(query, listener, signal, purpose = "analyse") {
    return this.request({ route: "analyse", query }, signal, listener, purpose);
  }
}
