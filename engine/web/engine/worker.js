// The engine in a worker.

import { Program } from "./program.js";

let current;
let ready;

addEventListener("message", async ({ data: { module, databases, weights, large, id, route, query, body } }) => {
  try {
    if (module) ready = Program.start(module, (event) => postMessage({ id: current, ...event }));
    const program = await ready;
    if (databases) program.install(databases);
    if (weights) program.weigh(weights);
    if (large) program.open(large);
    if (!route) return;
    current = id;
    postMessage({ id, ...program.ask({ route, query, body }) });
  } catch (error) {
    // A rejected promise would stay in the worker; a thrown error reaches the page.
    setTimeout(() => {
      throw error;
    });
  }
});
