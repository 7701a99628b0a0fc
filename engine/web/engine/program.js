// A WebAssembly module of the engine, and the files of the page. A request, a line of JSON and then its
// body, and its reply, a JSON text, are in the memory of the module: `request` makes room for one, `answer` answers it,
// `reply` and `reply_length` say where that is. A search sends its reports through `report` before
// the answer. `install` takes the databases, `weigh` an evaluation; `open` those in a large file, of which `fetch` gets the parts
// that a question needs.

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
      fetch: (offset, start, length) => program.fetch(offset, start, length),
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

  /** Uses the databases in a file, which stays where it is. @param {{ name: string, bytes: number }} file */
  open({ name, bytes }) {
    this.large = beside(name);
    if (!this.exports.open(bytes)) this.large = undefined;
  }

  /** Writes a part of that file where the module wants it; the module waits, so this needs a worker. */
  fetch(offset, start, length) {
    const request = new XMLHttpRequest();
    request.open("GET", this.large, false);
    request.responseType = "arraybuffer";
    request.setRequestHeader("Range", range(offset, length));
    try {
      request.send();
    } catch {
      return false;
    }
    const { status, response } = request;
    if (status !== 206 || response?.byteLength !== length) return false;
    new Uint8Array(this.exports.memory.buffer, start, length).set(new Uint8Array(response));
    return true;
  }

  /** Uses these weights of an evaluation for the searches that come; if they are damaged, the ones it has. */
  weigh(weights) {
    this.write(new Uint8Array(weights));
    this.exports.weigh();
  }

  install(databases) {
    this.write(new Uint8Array(databases));
    if (!this.exports.install()) throw new Error("the endgame databases are damaged");
  }
}

/** The address of a file of the page, by its name. */
export const beside = (name) => new URL("../" + name, import.meta.url).href;

/** What is made of a file; it counts as lost if the network fails on the way. */
export const load = async (address, make) => {
  try {
    const response = await fetch(address);
    if (response.ok) return await make(response);
    throw new Problem({ status: response.status, detail: new URL(address).pathname + ": " + response.status });
  } catch (error) {
    throw error instanceof TypeError ? Problem.lost() : error;
  }
};

const range = (offset, length) => "bytes=" + offset + "-" + (offset + length - 1);

/** Whether the web host sends parts of a file. */
export const isInParts = async (name) => {
  const part = await fetch(beside(name), { headers: { Range: range(0, 16) } });
  // Without parts the whole file would follow.
  if (part.status !== 206) await part.body?.cancel();
  return part.status === 206;
};

/** The content of a response, unpacked unless the browser did so already. */
const plain = async (response) => {
  const [look, body] = response.body.tee();
  const reader = look.getReader();
  const { value: start = [] } = await reader.read();
  reader.cancel();
  const isPacked = start[0] === 0x1f && start[1] === 0x8b;
  const stream = isPacked ? body.pipeThrough(new DecompressionStream("gzip")) : body;
  // Not every web host sends the media type that compilation requires.
  return new Response(stream, { headers: { "Content-Type": "application/wasm" } });
};

/** The bytes of a response. */
export const bytesOf = async (response) => new Uint8Array(await response.arrayBuffer());

/** Fetches a file. */
export const unpacked = (name) => load(beside(name), async (response) => (await plain(response)).arrayBuffer());

/** Compiles a module while it comes. */
export const compiled = (name) => load(beside(name), async (response) => WebAssembly.compileStreaming(plain(response)));

/** The name of the module with the rules alone. */
export const RULES = "rules.wasm.gz";
