// The engine of `meerslag serve`: questions over HTTP, analyses as server-sent events.

import { Problem } from "./problem.js";

/** Seconds of silence after which the server counts as gone. */
const PATIENCE = 30;

/** The given parameters. */
const given = (query) => Object.entries(query).filter(([, value]) => value != null && value !== "");

const url = (base, route, query) => {
  const parameters = String(new URLSearchParams(given(query)));
  return base + "v1/" + route + (parameters && "?" + parameters);
};

/** Watches a request, which counts as lost after too long a silence. */
class Watch {
  constructor(signal, seconds) {
    this.seconds = seconds;
    this.controller = new AbortController();
    this.pass = () => this.controller.abort(signal.reason);
    this.wanted = signal;
    if (signal?.aborted) this.pass();
    signal?.addEventListener("abort", this.pass);
    this.heard();
  }

  /** The server has sent something. */
  heard() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.controller.abort(), 1000 * this.seconds);
  }

  end() {
    clearTimeout(this.timer);
    this.wanted?.removeEventListener("abort", this.pass);
  }
}

export class Server {
  /** @type {Answers["server"]} */
  about = null;

  /** @param {string} base the address of the server; by default the one that sent the page. */
  constructor(base = "") {
    this.base = base;
  }

  static async connect() {
    const server = new Server();
    server.about = await server.ask("server");
    return server;
  }

  /** As {@link Local.prepare}: the server has everything already. */
  async prepare() {}

  /** As {@link Local.foresee}. */
  foresee() {}

  /**
   * Asks, and passes the answer to `read` unless the server refuses.
   * @param {string} route
   * @param {object} query
   * @param {{ signal?: AbortSignal, body?: string | Uint8Array<ArrayBuffer>, media?: string, patience?: number }} options
   * @param {(response: Response, watch: Watch) => Promise<any>} read
   */
  async request(route, query, { signal, body, media, patience = PATIENCE }, read) {
    const watch = new Watch(signal, patience);
    // The bytes of a file may be in any encoding.
    const kind = media ?? "text/plain" + (typeof body === "string" ? ";charset=utf-8" : "");
    const post = body === undefined ? {} : { method: "POST", body, headers: { "Content-Type": kind } };
    try {
      const response = await fetch(url(this.base, route, query), { ...post, signal: watch.controller.signal });
      if (!response.ok) throw await Server.refusal(response);
      return await read(response, watch);
    } catch (error) {
      // The browser does not say why a request failed: the server or the connection is gone.
      throw error instanceof Problem || signal?.aborted ? error : Problem.lost();
    } finally {
      watch.end();
    }
  }

  /** The problem in a response; proxies send other texts. */
  static async refusal(response) {
    if (/json/.test(response.headers.get("Content-Type"))) return new Problem(await response.json());
    if (response.status > 500) return Problem.lost();
    return new Problem({ status: response.status, type: response.status === 429 ? "#too-many-requests" : "" });
  }

  /** @param {{ signal?: AbortSignal, body?: string | Uint8Array<ArrayBuffer>, media?: string }} [options] */
  ask(route, query = {}, options = {}) {
    // A search may take long.
    const patience = PATIENCE + (route === "play" ? this.about.longest_seconds : 0);
    return this.request(route, query, { ...options, patience }, async (response) => {
      const text = await response.text();
      return /json/.test(response.headers.get("Content-Type")) ? JSON.parse(text) : text;
    });
  }

  /** Passes each `info` to the listener, and returns the `result`. */
  analyse(query, listener, signal) {
    return this.request("analyse", query, { signal }, async (response, watch) => {
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        // A finished search has sent its result.
        if (done) throw Problem.lost();
        watch.heard();
        const events = (text + value).split("\n\n");
        text = events.pop();
        for (const event of events) {
          const [, name, data] = event.match(/^event: (\w+)\n[^]*?^data: (.*)$/m) ?? [];
          if (name === "info") listener(JSON.parse(data));
          if (name === "result") return JSON.parse(data);
          if (name === "problem") throw new Problem(JSON.parse(data));
        }
      }
    });
  }
}
