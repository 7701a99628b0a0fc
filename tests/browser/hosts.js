// The two hosts of the board: `meerslag serve`, and any web host with the exported site.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, request as ask } from "node:http";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css",
  ".svg": "image/svg+xml", ".wasm": "application/wasm",
};

/** Serves a folder, as a plain web host does. */
export const serveFolder = async (folder) => {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, "http://host").pathname);
    const file = path === "/" ? "/index.html" : path;
    try {
      const content = await readFile(join(folder, file));
      response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "text/plain" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() };
};

/**
 * With PAGE, a folder, its files are given out in place of those in the program, so that a change of
 * the page needs no build of the program.
 */
const { PAGE } = process.env;

/** Stands before a server: files of the folder, and all else from the server. */
const before = async (server, port) => {
  const front = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, "http://host").pathname);
    const file = path === "/" ? "/index.html" : path;
    try {
      const content = await readFile(join(PAGE, file));
      return response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "text/plain" }).end(content);
    } catch {
      // Not a file of the page.
    }
    const { host } = new URL(server.url);
    const { origin, ...headers } = request.headers;
    const passed = ask(server.url + request.url.slice(1), { method: request.method, headers: { ...headers, host } });
    passed.on("response", (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      answer.on("data", (data) => response.write(data));
      answer.on("end", () => response.end());
      answer.on("error", () => response.destroy());
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });
  front.listen(port, "127.0.0.1");
  await once(front, "listening");
  const stop = async (signal) => {
    front.close();
    await server.stop(signal);
    front.closeAllConnections();
  };
  const { port: own } = front.address();
  return { url: `http://127.0.0.1:${own}/`, port: own, stop };
};

/** Starts `meerslag serve` and waits until it says where it listens; a port is free or given. */
export const startServer = async (program, options = [], port = 0) =>
  PAGE ? before(await startProgram(program, options), port) : startProgram(program, options, port);

const startProgram = async (program, options, port = 0) => {
  const child = spawn(program, ["serve", "--port", String(port), ...options], { stdio: ["ignore", "pipe", "pipe"] });
  const found = await new Promise((resolve, reject) => {
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        said += line + "\n";
        const url = line.match(/http:\/\/[^\s'"]+/);
        if (url) resolve(url[0].replace(/\/*$/, "/"));
      });
    }
    child.on("exit", (status) => reject(new Error(`the server ended with ${status}: ${said}`)));
    child.on("error", reject);
  });
  const stop = async (signal = "SIGINT") => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  return { url: found, port: new URL(found).port, stop };
};
