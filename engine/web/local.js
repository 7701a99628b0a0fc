// The engine as WebAssembly, for a site without a server. Up to three workers hold it: one answers
// questions at once; one finds moves and one analyses. These are ended when their search is no
// longer wanted, because a running search cannot be spoken to.

import { Problem } from "./server.js";

class Helper {
  constructor(module) {
    this.worker = new Worker("worker.js", { type: "module" });
    this.waiting = new Map();
    this.worker.addEventListener("message", ({ data: { id, event, data } }) => {
      this.waiting.get(id)?.(event, data);
    });
    this.worker.addEventListener("error", (error) => this.fail(error.message));
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
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const listener of waiting) listener("problem", { title: "worker", detail });
  }

  get isBusy() {
    return this.waiting.size > 0;
  }
}

export class Local {
  static async connect() {
    // Not every web host names the media type that streaming compilation insists on.
    const response = await fetch("meerslag.wasm");
    if (!response.ok) throw new Problem({ status: response.status, detail: "meerslag.wasm" });
    const local = new Local(await WebAssembly.compile(await response.arrayBuffer()));
    local.about = await local.ask("server");
    return local;
  }

  constructor(module) {
    this.module = module;
    this.answers = new Helper(module);
    this.searchers = new Map();
  }

  /** The worker for the searches of a route, free to begin one. */
  free(route) {
    this.end(route);
    if (!this.searchers.has(route)) this.searchers.set(route, new Helper(this.module));
    return this.searchers.get(route);
  }

  /** Ends the running search of a route. */
  end(route) {
    const helper = this.searchers.get(route);
    if (!helper?.isBusy) return;
    helper.worker.terminate();
    this.searchers.delete(route);
  }

  /** As {@link Server.ask}. */
  ask(route, query = {}, { signal, body } = {}) {
    return new Promise((resolve, reject) => {
      const helper = route === "play" ? this.free(route) : this.answers;
      helper.send({ route, query, body }, (event, data) => {
        if (event === "problem") reject(new Problem(data));
        else resolve(data);
      });
      signal?.addEventListener("abort", () => {
        if (helper === this.searchers.get(route)) this.end(route);
        reject(signal.reason);
      });
    });
  }

  /** As {@link Server.analyse}. */
  analyse(query, listener) {
    const helper = this.free("analyse");
    helper.send({ route: "analyse", query }, listener);
    return () => {
      if (helper === this.searchers.get("analyse")) this.end("analyse");
    };
  }
}
