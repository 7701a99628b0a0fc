// A tournament is made on its page: players to tick, and the keys of its file. The program knows the
// keys, tries the engines, checks what is chosen and writes the file.

import { find, make } from "../base/dom.js";
import { has, t } from "../base/texts.js";
import { post } from "./director.js";

const at = /** @type {(id: string) => any} */ (find);

/** Keys that are seen at once; the others are in a part that opens. */
const SEEN = 10;

/** The arguments of an engine's description. */
const argumentsOf = (text) => text.match(/[^\s=]+(?:=(?:"[^"]*"|\S*))?/g) ?? [];

/** The value of an argument, or nothing. */
const argument = (text, name) => argumentsOf(text).find((one) => one.startsWith(name + "="))?.slice(name.length + 1).replace(/^"|"$/g, "");

/** A description with another value of an argument, or without it. */
const withArgument = (text, name, value) => {
  const others = argumentsOf(text).filter((one) => !one.startsWith(name + "="));
  return [...others, ...(value === null ? [] : [`${name}="${value.replaceAll('"', "")}"`])].join(" ");
};

const input = (attributes) => make("input", { class: "input", ...attributes });
const options = (choices, value) => choices.map(([one, name = one]) => make("option", { value: one, selected: one === String(value) }, name));
const select = (choices, value, more = {}) => make("select", { class: "input", ...more }, ...options(choices, value));
const field = (label, ...nodes) => make("label", { class: "field" }, make("span", { class: "label" }, label), ...nodes);

/** The text of a word of the form; without one the word itself, as the file has it. */
const named = (word) => (has("make." + word) ? t("make." + word) : word);

/** The kinds of time controls: their names, their form, the numbers in it, and how they are written. */
const CONTROLS = [
  ["clock", /^(?:(\d+)\/)?([\d.]+)(?:\+([\d.]+))?$/, ["moves", "seconds", "increment"], ([moves, seconds, plus]) => (moves && moves + "/") + seconds + (plus && "+" + plus)],
  ["move", /^move=([\d.]+)$/, ["seconds"], ([seconds]) => "move=" + seconds],
  ["nodes", /^nodes=(\d+)$/, ["nodes"], ([nodes]) => "nodes=" + nodes],
  ["other", /^(.*)$/, ["other"], ([text]) => text],
];

/** A time control as a field: its kind and its numbers. */
const control = (text) => {
  const of = (name) => /** @type {any} */ (CONTROLS.find(([one]) => one === name));
  const [kind] = text ? CONTROLS.find(([, form]) => /** @type {RegExp} */ (form).test(text)) : CONTROLS[0];
  const numbers = make("div", { class: "row wrapped" });
  let inputs = [];
  const show = () => {
    const [name, form, parts] = of(mark.value);
    const values = form.exec(text)?.slice(1) ?? [];
    inputs = parts.map((_, index) => input({ type: name === "other" ? "text" : "number", min: 0, step: "any", value: values[index] }));
    numbers.replaceChildren(...inputs.map((one, index) => field(t("make.control." + parts[index]), one)));
  };
  const mark = select(CONTROLS.map(([name]) => [name, t("make.control." + name)]), kind, { change: show });
  show();
  const read = () => {
    const values = inputs.map(({ value }) => value.trim());
    return values.some((value) => value) ? of(mark.value)[3](values) : "";
  };
  return { node: make("div", { class: "stack tight" }, field(t("make.time-control"), mark), numbers), mark, read };
};

/** A field for a key of the file: what is shown, what is marked if it is wrong, and what reads it. */
const keyField = ({ key, kind, choices = [], usual }, value) => {
  if (key === "time-control") return control(value ?? "");
  const now = value ?? usual ?? "";
  const words = choices.map((choice) => [choice, named(choice)]);
  const list = kind === "offer" ? "make-list-" + key : null;
  const mark = kind === "choice" ? select(usual === null ? [["", "–"], ...words] : words, now)
    : kind === "list" ? make("textarea", { class: "input", rows: 2 }, [now].flat().join("\n"))
      : input({ type: kind === "number" ? "number" : "text", min: 0, value: now, list });
  const read = () => {
    const text = mark.value.trim();
    if (kind === "list") return text.split(/\s*\n\s*/).filter(Boolean);
    return kind === "number" && text ? Number(text) : text;
  };
  return { node: field(named(key), mark, ...(list ? [make("datalist", { id: list }, ...options(choices.map((one) => [one]), ""))] : [])), mark, read };
};

/** A field for a parameter that an engine has declared; `set` gets its description. */
const parameterField = (engine, { name, value = "", type, min, max, values = "" }, set) => {
  // That an engine ponders is an argument of its own: the runner must know.
  const [key, usual] = name === "ponder" ? ["ponder", "no"] : ["param." + name, value];
  const change = ({ target }) => set(key, target.value === usual ? null : target.value);
  const now = argument(engine, key) ?? usual;
  const choices = name === "ponder" ? ["no", "yes"] : type === "bool" ? ["false", "true"] : values.split(" ").filter(Boolean);
  const isNumber = type === "int" || type === "real";
  return field(name, choices.length ? select(choices.map((one) => [one]), now, { change })
    : input({ type: isNumber ? "number" : "text", step: type === "real" ? "any" : null, min, max, value: now, change }));
};

/** A player in the list, with what shows it again. */
const row = (player, probe) => {
  const tick = make("input", { type: "checkbox", class: "switch", change: () => {
    player.on = tick.checked;
    if (player.on && !player.parameters) probe(player);
  } });
  const name = input({ "aria-label": t("make.name"), change: () => (player.name = name.value.trim()) });
  const text = input({ spellcheck: "false", change: () => probe(Object.assign(player, { engine: text.value.trim() })) });
  const says = make("summary");
  const parameters = make("div", { class: "grid" });
  const set = (key, value) => (text.value = player.engine = withArgument(player.engine, key, value));
  player.show = () => {
    Object.assign(tick, { checked: player.on, ariaLabel: player.name || player.engine });
    Object.assign(name, { value: player.name, placeholder: player.engine.split(/[\\/]/).at(-1) });
    text.value = player.engine;
    says.className = player.error ? "problem" : "soft small";
    says.textContent = player.error || (player.busy ? t("make.trying") : player.title ?? t("make.engine"));
    parameters.replaceChildren(...(player.parameters ?? []).map((one) => parameterField(player.engine, one, set)));
  };
  player.show();
  return make("li", {}, make("div", { class: "row" }, tick, name),
    make("details", {}, says, make("div", { class: "stack tight" }, field(t("make.engine"), text), parameters)));
};

/**
 * Lets the director make a tournament in the form of the page; returns a function that shows it again, in
 * another language.
 * @param {string} token
 */
export const open = async (token) => {
  const ask = (question, body = "") => post("v1/director/" + question, token, body);
  const { file, keys, description } = await ask("setup");
  /** The description, of which the form shows the players and the known keys. */
  let said = description ?? {};
  let players = [];
  const fields = new Map();
  const tell = (text, isProblem = false) => {
    at("make-says").textContent = text;
    at("make-says").classList.toggle("problem", isProblem);
  };

  /** The description as it is chosen. */
  const describe = () => {
    const known = Object.fromEntries([...fields].map(([key, { read }]) => [key, read()]));
    const player = players.filter(({ on }) => on).map(({ name, engine }) => ({ name: name || undefined, engine }));
    return { ...said, ...known, player };
  };

  /** Starts an engine, and shows what it says of itself. */
  const probe = async (player) => {
    Object.assign(player, { busy: true, error: "" });
    player.show();
    try {
      const { name, ...found } = await ask("probe", player.engine);
      Object.assign(player, found);
      const names = [name, ...players.map((_, index) => `${name} ${index + 2}`)];
      player.name ||= names.find((one) => !players.some((other) => other.name === one));
    } catch (error) {
      Object.assign(player, { on: false, error: error.message });
    }
    player.busy = false;
    player.show();
  };

  const add = (...engines) => {
    const more = engines.map((engine) => ({ on: false, name: "", engine }));
    players.push(...more);
    at("make-players").append(...more.map((player) => row(player, probe)));
    return more;
  };

  const show = () => {
    fields.clear();
    for (const id of ["make-keys", "make-more"]) at(id).replaceChildren();
    for (const key of keys) fields.set(key.key, keyField(key, said[key.key]));
    [...fields.values()].forEach(({ node }, index) => at(index < SEEN ? "make-keys" : "make-more").append(node));
    at("make-players").replaceChildren(...players.map((player) => row(player, probe)));
  };

  /** Takes up a description. */
  const read = (whole) => {
    said = whole;
    players = (whole.player ?? []).map(({ name, engine }) => ({ on: true, name: name ?? argument(engine, "name") ?? "", engine }));
    if (!players.some(({ engine }) => engine === "builtin")) players.push({ on: false, name: "", engine: "builtin" });
    show();
  };

  /** Does something, and says what became of it; a key or a player that is refused is marked. */
  const attempt = async (work) => {
    for (const { mark } of fields.values()) mark.removeAttribute("aria-invalid");
    tell(t("make.busy"));
    at("make-buttons").disabled = true;
    try {
      tell(await work());
    } catch ({ message }) {
      tell(message, true);
      const [, number, key] = message.match(/^(?:player (\d+)|([a-z-]+)):/) ?? [];
      const mark = fields.get(key)?.mark;
      mark?.setAttribute("aria-invalid", "true");
      mark?.closest("details")?.setAttribute("open", "");
      const player = number && players.filter(({ on }) => on)[number - 1];
      if (player) Object.assign(player, { error: message }).show();
    }
    at("make-buttons").disabled = false;
  };
  const send = (question) => attempt(async () => t("make.saved", await ask(question, JSON.stringify(describe()))));

  at("make-start").addEventListener("click", () => send("start"));
  at("make-save").addEventListener("click", () => send("save"));
  at("make-add").addEventListener("click", () => {
    const engine = at("make-engine").value.trim();
    at("make-engine").value = "";
    if (engine) add(engine).forEach((player) => probe(Object.assign(player, { on: true })));
  });
  at("make-find").addEventListener("click", () => attempt(async () => {
    const found = await ask("programs", at("make-folder").value);
    add(...found.filter((one) => !players.some(({ engine }) => engine.includes(one))));
    return t("make.found", { programs: found.length });
  }));
  at("make-open").addEventListener("click", () => at("make-file").click());
  at("make-file").addEventListener("change", ({ target }) => attempt(async () => {
    const [chosen] = target.files;
    read(await ask("read", await chosen.text()));
    target.value = "";
    return t("make.read", { file: chosen.name });
  }));
  read(said);
  tell(file);
  at("make").hidden = false;
  return () => {
    said = describe();
    show();
  };
};
