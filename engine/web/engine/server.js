// The engine of `meerslag serve`: questions over HTTP, analyses as server-sent events.

import { Problem } from "./problem.js";

/** Seconds of silence after which the server counts as gone, where no body is on its way or read. */
const PATIENCE = 30;

/** The given parameters. */
const given = (query) => Object.entries(query).filter(([, value]) => value != null && value !== "");

const url = (base, route, query) => {
  const parameters = String(new URLSearchParams(given(query)));
  return base + "v1/" + route + (parameters && "?" + parameters);
};

/** Posts a body as `fetch` does, and tells the share of it that was sent. @returns {Promise<Response>} */
const post = (address, body, kind, signal, sent) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("Content-Type", kind);
    if (sent) request.upload.onprogress = ({ loaded, total }) => sent(total ? loaded / total : 1);
    request.onload = () => {
      const headers = { "Content-Type": request.getResponseHeader("Content-Type") ?? "" };
      resolve(new Response(request.response, { status: request.status, headers }));
    };
    request.onerror = reject;
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });

/** Watches a request, which counts as lost after too long a silence; without seconds never. */
class Watch {
  constructor(signal, seconds) {
    this.seconds = seconds;
    this.controller = new AbortController();
    this.signal = AbortSignal.any([this.controller.signal, ...(signal ? [signal] : [])]);
    this.heard();
  }

  /** The server has sent something. */
  heard() {
    clearTimeout(this.timer);
    if (this.seconds) this.timer = setTimeout(() => this.controller.abort(), 1000 * this.seconds);
  }

  end() {
    clearTimeout(this.timer);
  }
}

export class Server {
  /** @type {Answers["server"]} */
  about = null;
  /** The user's games, if the server has none. @type {import("./collection.js").Collection | null} */
  collection = null;

  /** @param {string} base the address of the server; by default the one that sent the page. */
  constructor(base = "") {
    this.base = base;
  }

  /**
   * Connects the page with the server that sent it.
   * @param {typeof import("./collection.js").Collection} Games keeps the user's games if the server has none.
   */
  static async connect(Games) {
    const server = new Server();
    server.about = await server.ask("server");
    if (!server.about.has_games) {
      server.collection = new Games((route, query, body) => server.ask(route, query, { body, media: route === "boards" ? "application/json" : undefined }));
      server.about = { ...server.about, has_games: true, takes_games: true };
    }
    return server;
  }

  /** As {@link Local.prepare}: the server has everything already. */
  async prepare() {}

  /** As {@link Local.strengthen}. */
  async strengthen() {}

  /** As {@link Local.foresee}. */
  foresee() {}

  /**
   * Asks, and passes the answer to `read` unless the server refuses.
   * @param {string} route
   * @param {object} query
   * @param {{ signal?: AbortSignal, body?: string | Uint8Array<ArrayBuffer>, media?: string, patience?: number, sent?: (share: number) => void }} options
   * @param {(response: Response, watch: Watch) => Promise<any>} read
   */
  async request(route, query, { signal, body, media, patience = PATIENCE, sent }, read) {
    const watch = new Watch(signal, body === undefined ? patience : 0);
    // The bytes of a file may be in any encoding.
    const kind = media ?? "text/plain" + (typeof body === "string" ? ";charset=utf-8" : "");
    const { signal: ended } = watch;
    const address = url(this.base, route, query);
    try {
      const response = await (body === undefined ? fetch(address, { signal: ended }) : post(address, body, kind, ended, sent));
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

  /** @param {{ signal?: AbortSignal, body?: string | Uint8Array<ArrayBuffer>, media?: string, sent?: (share: number) => void }} [options] */
  ask(route, query = {}, options = {}) {
    if (this.collection && route.startsWith("games/")) return this.collection.ask(route, query, options.body);
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
