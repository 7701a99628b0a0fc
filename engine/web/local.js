// The engine as WebAssembly, for a site without a server. Several workers hold it: one answers
// questions at once; one finds moves, and one for each purpose analyses. These are ended when their search is no
// longer wanted, because a running search cannot be spoken to.

import { Problem } from "./problem.js";

class Helper {
  constructor(module) {
    this.worker = new Worker("worker.js", { type: "module" });
    this.isDead = false;
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

  /** The worker died, of a lack of memory or of a fault in the program. */
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

export class Local {
  /** @type {Answers["server"]} */
  about = null;

  static async connect() {
    const local = new Local(await WebAssembly.compile(await Local.load()));
    local.about = await local.ask("server");
    return local;
  }

  static async load() {
    let response;
    try {
      response = await fetch("meerslag.wasm");
      // Not every web host names the media type that streaming compilation insists on.
      if (response.ok) return await response.arrayBuffer();
    } catch {
      throw Problem.lost();
    }
    throw new Problem({ status: response.status, detail: "meerslag.wasm: " + response.status });
  }

  constructor(module) {
    this.module = module;
    this.helpers = new Map();
  }

  /** The worker for this kind of work; one that died is replaced. */
  helper(kind) {
    if (this.helpers.get(kind)?.isDead ?? true) this.helpers.set(kind, new Helper(this.module));
    return this.helpers.get(kind);
  }

  /** Ends the running search of a worker. */
  end(kind, helper = this.helpers.get(kind)) {
    if (!helper?.isBusy || helper !== this.helpers.get(kind)) return;
    helper.worker.terminate();
    this.helpers.delete(kind);
  }

  /** Sends a request, and gives its last event. */
  request(kind, request, signal, listener) {
    return new Promise((resolve, reject) => {
      const helper = this.helper(kind);
      helper.send(request, (event, data) => {
        if (event === "problem") reject(new Problem(data));
        else if (event === "info") listener?.(data);
        else if (event !== "position") resolve(data);
      });
      signal?.addEventListener("abort", () => {
        if (kind !== "answers") this.end(kind, helper);
        reject(signal.reason);
      });
    });
  }

  /**
   * As {@link Server.ask}.
   * @param {{ signal?: AbortSignal, body?: string, media?: string }} [options]
   */
  ask(route, query = {}, options = {}) {
    const { signal, body } = options;
    if (route !== "play") return this.request("answers", { route, query, body }, signal);
    this.end(route);
    return this.request(route, { route, query }, signal);
  }

  /** As {@link Server.analyse}. */
  analyse(query, listener, signal, purpose = "analyse") {
    this.end(purpose);
    return this.request(purpose, { route: "analyse", query }, signal, listener);
  }
}
