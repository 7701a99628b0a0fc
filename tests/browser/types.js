// Checks the types of the page's modules: `npm run types`.
//
// The records of the engine's routes come from the program's own descriptions (OpenAPI and
// `meerslag schema`), the elements from index.html. So a key or an element renamed on one side only
// is an error here. MEERSLAG: the program.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

import { startServer } from "./hosts.js";

const { MEERSLAG } = process.env;
if (!MEERSLAG) throw new Error("set MEERSLAG to the program");
const here = new URL("./", import.meta.url);
const path = (name) => fileURLToPath(new URL(name, here));

/** The description of the routes, with the records of events. */
const description = async () => {
  const server = await startServer(MEERSLAG, ["--hash", "1"]);
  try {
    const routes = await (await fetch(server.url + "openapi.json")).json();
    const schema = execFileSync(MEERSLAG, ["schema"], { encoding: "utf8", maxBuffer: 1 << 26 });
    const { $defs } = JSON.parse(schema.replaceAll("#/$defs/", "#/components/schemas/"));
    routes.components.schemas = { ...$defs, ...routes.components.schemas };
    return routes;
  } finally {
    await server.stop();
  }
};

/** Global types, because the modules of the page import nothing that the page does not load. */
const records = async () => {
  const routes = await description();
  const text = astToString(await openapiTS(routes, { silent: true })).replace(/^export /gm, "");
  const isAnswer = ([name]) => name.startsWith("/v1/") && name !== "/v1/hub";
  const answers = Object.entries(routes.paths).filter(isAnswer).map(([name, item]) => {
    const [method] = Object.keys(item);
    const [media] = Object.keys(item[method].responses["200"].content);
    const isJson = media === "application/json";
    const type = isJson ? `paths["${name}"]["${method}"]["responses"]["200"]["content"]["${media}"]` : "string";
    return `  "${name.slice("/v1/".length)}": ${type};`;
  });
  const names = Object.keys(routes.components.schemas).map((name) => `  type ${name} = components["schemas"]["${name}"];`);
  return [
    text, "/** The answer of each route. */", "interface Answers {", ...answers, "}",
    "declare namespace Records {", ...names, "}", "",
  ].join("\n");
};

const ELEMENTS = {
  button: "HTMLButtonElement", canvas: "HTMLCanvasElement", dialog: "HTMLDialogElement", form: "HTMLFormElement",
  input: "HTMLInputElement", select: "HTMLSelectElement", svg: "SVGSVGElement", textarea: "HTMLTextAreaElement",
  option: "HTMLOptionElement", progress: "HTMLProgressElement", table: "HTMLTableElement",
};

/** The elements of the page by their ids. */
const elements = async () => {
  const page = await readFile(new URL("../../engine/web/index.html", here), "utf8");
  const ids = [...page.matchAll(/<(\w+)\b[^>]*?\sid="([^"]+)"/g)];
  const lines = ids.map(([tag, name, id]) => {
    // A choice in a row has a value like a field.
    const rest = page.slice(page.indexOf(tag));
    const isChoice = rest.slice(0, rest.indexOf(">")).includes('role="radiogroup"');
    return `  "${id}": ${isChoice ? "HTMLInputElement" : ELEMENTS[name] ?? "HTMLElement"};`;
  });
  return ["interface Elements {", ...lines, "}", ""].join("\n");
};

await mkdir(path("generated"), { recursive: true });
if (!process.argv.includes("--page")) await writeFile(path("generated/records.d.ts"), await records());
await writeFile(path("generated/elements.d.ts"), await elements());
const { status } = spawnSync(process.execPath, [path("node_modules/typescript/bin/tsc"), "-p", path("tsconfig.json")], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
