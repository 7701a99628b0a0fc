// The engine behind `meerslag serve`: questions over HTTP, analyses as server-sent events.

/** Why a question has no answer: an error description of RFC 9457. */
export class Problem extends Error {
  constructor({ title = "", detail = "", status = 0, type = "" }) {
    super(detail || title || String(status));
    this.name = type.split("#")[1] || "problem";
  }
}

/** The parameters that are given. */
const given = (query) => Object.entries(query).filter(([, value]) => value != null && value !== "");

export class Server {
  static async connect() {
    const server = new Server();
    server.about = await server.ask("server");
    return server;
  }

  url(route, query) {
    const parameters = String(new URLSearchParams(given(query)));
    return "v1/" + route + (parameters && "?" + parameters);
  }

  /** The answer of a route: an object, or a text where it is not JSON. */
  async ask(route, query = {}, { signal, body, media = "text/plain" } = {}) {
    const request = body === undefined
      ? { signal }
      : { signal, method: "POST", body, headers: { "Content-Type": media } };
    const response = await fetch(this.url(route, query), request);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("Content-Type"));
    if (!response.ok) throw new Problem(isJson ? JSON.parse(text) : { status: response.status });
    return isJson ? JSON.parse(text) : text;
  }

  /**
   * Starts an analysis. The listener gets the names of events and their data: `position`, `info`,
   * `result`, `problem`. Returns a function that ends it.
   */
  analyse(query, listener) {
    const source = new EventSource(this.url("analyse", query));
    for (const name of ["position", "info", "result", "problem"]) {
      source.addEventListener(name, ({ data }) => {
        if (name === "result" || name === "problem") source.close();
        listener(name, JSON.parse(data));
      });
    }
    // Refused, busy or gone: the browser does not say which.
    source.addEventListener("error", () => {
      source.close();
      listener("problem", { title: "connection" });
    });
    return () => source.close();
  }
}
