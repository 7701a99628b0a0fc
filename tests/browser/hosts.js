// The two hosts of the board: `meerslag serve`, and any web host with the exported site.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, request as ask } from "node:http";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const { CHROMIUM = "/usr/bin/chromium", SLOW } = process.env;

/** Starts the browser. With SLOW, a number, its pages run as many times slower, as on a busy machine. */
export const launch = async () => {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const { newContext } = browser;
  if (SLOW) {
    browser.newContext = async (options) => {
      const context = await newContext.call(browser, options);
      const { newPage } = context;
      context.newPage = async () => {
        const page = await newPage.call(context);
        await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: Number(SLOW) });
        return page;
      };
      return context;
    };
  }
  return browser;
};

const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css",
  ".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json",
  ".webmanifest": "application/manifest+json", ".gz": "application/gzip",
};

/** The path of a request for a file. */
const fileOf = (request, page = "index.html") => {
  const path = normalize(new URL(request.url, "http://host").pathname);
  return path.endsWith("/") ? path + page : path;
};

/** The headers of a file of this name. */
const headersOf = (file) => ({ "Content-Type": TYPES[extname(file)] ?? "text/plain" });

/**
 * Serves a folder like a web host that sends compressed files where they exist, and tells browsers what
 * has not changed. Of other files it sends the part that is asked for. `sent` lists the requested files with the sizes of the answers in bytes.
 */
export const serveFolder = async (folder, port = 0) => {
  const sent = [];
  const server = createServer(async (request, response) => {
    const file = fileOf(request);
    try {
      const plain = join(folder, file);
      const packed = await readFile(plain + ".gz").catch(() => null);
      const content = packed ?? (await readFile(plain));
      const tag = '"' + createHash("sha256").update(content).digest("hex") + '"';
      const part = packed ? null : request.headers.range?.match(/^bytes=(\d+)-(\d+)$/);
      if (part) {
        const [from, to] = part.slice(1).map(Number);
        const bytes = content.subarray(from, to + 1);
        sent.push({ file: file.slice(1), status: 206, bytes: bytes.length, from });
        const range = `bytes ${from}-${to}/${content.length}`;
        return response.writeHead(206, { ...headersOf(file), "Content-Range": range, ETag: tag }).end(bytes);
      }
      const isKnown = request.headers["if-none-match"] === tag;
      sent.push({ file: file.slice(1), status: isKnown ? 304 : 200, bytes: isKnown ? 0 : content.length });
      if (isKnown) return response.writeHead(304, { ETag: tag }).end();
      const coding = packed ? { "Content-Encoding": "gzip" } : {};
      response.writeHead(200, { ...headersOf(file), ...coding, ETag: tag }).end(content);
    } catch {
      sent.push({ file: file.slice(1), status: 404, bytes: 0 });
      response.writeHead(404).end();
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, port: server.address().port, sent, stop };
};

/**
 * With PAGE, a folder, its files are served instead of those in the program, so that a change of the
 * page needs no build of the program.
 */
const { PAGE } = process.env;

/** A page with its drawings, as the program sends it. */
const withDrawings = async (content) => {
  let text = String(content);
  for (const name of ["pieces.svg", "icons.svg"]) text = text.replace(`<!-- ${name} -->`, await readFile(join(PAGE, name), "utf8"));
  return text;
};

/** A proxy of a server: files of the folder, and all else from the server. Without a folder the server itself. */
export const before = async (server, port = 0, page) => {
  if (!PAGE) return server;
  const front = createServer(async (request, response) => {
    const file = fileOf(request, page);
    try {
      const content = await readFile(join(PAGE, file));
      return response.writeHead(200, headersOf(file)).end(file.endsWith(".html") ? await withDrawings(content) : content);
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
  before(await startProgram(program, options, PAGE ? 0 : port), port);

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
