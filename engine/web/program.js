// A WebAssembly module of the engine, and the files beside this one. A request, a line of JSON and then its
// body, and its reply, a JSON text, are in the memory of the module: `request` makes room for one, `answer` answers it,
// `reply` and `reply_length` say where that is. A search sends its reports through `report` before
// the answer. `install` takes the databases.

import { Problem } from "./problem.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Program {
  /**
   * @param {WebAssembly.Module} module
   * @param {(event: { event: string, data: any }) => void} report receives the events of a search.
   */
  static async start(module, report = () => {}) {
    const host = {
      now: () => performance.now(),
      report: (start, length) => report(JSON.parse(program.text(start, length))),
    };
    const program = new Program(/** @type {any} */ (await WebAssembly.instantiate(module, { host })).exports);
    return program;
  }

  constructor(exports) {
    this.exports = exports;
  }

  text(start, length) {
    return decoder.decode(new Uint8Array(this.exports.memory.buffer, start, length));
  }

  /** Writes bytes where the module reads them. */
  write(bytes) {
    const place = this.exports.request(bytes.length);
    new Uint8Array(this.exports.memory.buffer, place, bytes.length).set(bytes);
  }

  /**
   * The last event of the answer to a question: `answer`, `result` or `problem`.
   * @param {{ route: string, query: object, body?: string | Uint8Array<ArrayBuffer> }} question
   */
  ask({ route, query, body = "" }) {
    const { exports } = this;
    const head = encoder.encode(JSON.stringify({ route, query }) + "\n");
    const tail = typeof body === "string" ? encoder.encode(body) : body;
    const request = new Uint8Array(head.length + tail.length);
    request.set(head);
    request.set(tail, head.length);
    this.write(request);
    exports.answer();
    return JSON.parse(this.text(exports.reply(), exports.reply_length()));
  }

  install(databases) {
    this.write(new Uint8Array(databases));
    if (!this.exports.install()) throw new Error("the endgame databases are damaged");
  }
}

/** The address of this module and of all files that it fetches. */
export const beside = (name) => new URL(name, import.meta.url).href;

/** Fetches a file beside this module. */
export const load = async (name) => {
  let response;
  try {
    response = await fetch(beside(name));
    if (response.ok) return await response.arrayBuffer();
  } catch {
    throw Problem.lost();
  }
  throw new Problem({ status: response.status, detail: name + ": " + response.status });
};

/** Fetches a file, and unpacks it unless the browser did so already. */
export const unpacked = async (name) => {
  const bytes = await load(name);
  const [first, second] = new Uint8Array(bytes);
  if (first !== 0x1f || second !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
};

/** Compiles a module. Not every web host sends the media type that streaming compilation requires. */
export const compiled = async (name) => WebAssembly.compile(await unpacked(name));

/** The name of the module with the rules alone. */
export const RULES = "rules.wasm.gz";
