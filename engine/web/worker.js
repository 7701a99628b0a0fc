// The engine in a worker. A request and its reply are JSON texts in the memory of the program:
// `request` makes room for one, `answer` answers it, `reply` and `reply_length` say where that is.
// A search sends its reports through `report` before it answers.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

let program;
let current;

const text = (start, length) =>
  decoder.decode(new Uint8Array(program.memory.buffer, start, length));

const host = {
  now: () => performance.now(),
  report(start, length) {
    const { event, data } = JSON.parse(text(start, length));
    postMessage({ id: current, event, data });
  },
};

const start = async (module) => {
  program = /** @type {any} */ (await WebAssembly.instantiate(module, { host })).exports;
};

const answer = ({ id, route, query, body }) => {
  current = id;
  const request = encoder.encode(JSON.stringify({ route, query, body }));
  const place = program.request(request.length);
  new Uint8Array(program.memory.buffer, place, request.length).set(request);
  program.answer();
  postMessage({ id, ...JSON.parse(text(program.reply(), program.reply_length())) });
};

let ready;
addEventListener("message", async ({ data }) => {
  try {
    if (data.module) ready = start(data.module);
    await ready;
    if (data.route) answer(data);
  } catch (error) {
    // A rejected promise would stay in the worker; an error that is thrown reaches the page.
    setTimeout(() => {
      throw error;
    });
  }
});
