// A tournament is made on its page: players to tick, and the keys of its file. The program knows the
// keys, tries the engines, checks what is chosen and writes the file.

import { make } from "../base/dom.js";
import { has, t } from "../base/texts.js";
import { post } from "./director.js";

/** @returns {any} */
const at = (id) => document.getElementById(id);

/** Keys that are seen at once; the others are in a part that opens. */
const SEEN = 10;

/** The arguments of an engine's description. */
const argumentsOf = (text) => text.match(/[^\s=]+(?:=(?:"[^"]*"|\S*))?/g) ?? [];

/** The value of an argument, or nothing. */
const argument = (text, name) => argumentsOf(text).find((one) => one.startsWith(name + "="))?.slice(name.length + 1).replace(/^"|"$/g, "");

/** A description with another value of an argument; null is none. */
const withArgument = (text, name, value) => {
  const others = argumentsOf(text).filter((one) => !one.startsWith(name + "="));
  return [...others, ...(value === null ? [] : [`${name}="${String(value).replaceAll('"', "")}"`])].join(" ");
};

const input = (attributes) => make("input", { class: "input", ...attributes });
const select = (choices, value, more = {}) =>
  make("select", { class: "input", ...more }, ...choices.map(([one, name = one]) => make("option", { value: one, selected: String(one) === String(value ?? "") }, name)));
const field = (label, ...nodes) => make("label", { class: "field" }, make("span", { class: "label" }, label), ...nodes);

/** The kinds of time controls: what their texts look like, and the numbers in them. */
const CONTROLS = [
  ["clock", /^(?:(\d+)\/)?([\d.]+)(?:\+([\d.]+))?$/, ["moves", "seconds", "increment"], ([moves, seconds, plus]) => (moves ? moves + "/" : "") + seconds + (plus ? "+" + plus : "")],
  ["move", /^move=([\d.]+)$/, ["seconds"], ([seconds]) => "move=" + seconds],
  ["nodes", /^nodes=(\d+)$/, ["nodes"], ([nodes]) => "nodes=" + nodes],
  ["other", /^(.*)$/, ["other"], ([text]) => text],
];

/** Fields for a time control; returns its nodes and what reads them. */
const control = (text) => {
  const kind = CONTROLS.find(([, form]) => form.test(text)) ?? CONTROLS[0];
  const numbers = make("div", { class: "row wrapped" });
  let inputs = [];
  const show = ([name, form, parts]) => {
    const values = form.exec(text)?.slice(1) ?? [];
    inputs = parts.map((part, index) => input({ type: name === "other" ? "text" : "number", min: 0, step: "any", value: values[index] ?? "", "data-part": part }));
    numbers.replaceChildren(...inputs.map((one, index) => field(t("make.control." + parts[index]), one)));
  };
  const chosen = select(CONTROLS.map(([name]) => [name, t("make.control." + name)]), kind[0], {
    "aria-label": t("make.time-control"), change: () => show(CONTROLS.find(([name]) => name === chosen.value)),
  });
  show(kind);
  const read = () => {
    const values = inputs.map(({ value }) => value.trim());
    return values.some((value) => value) ? CONTROLS.find(([name]) => name === chosen.value)[3](values) : "";
  };
  return { node: make("div", { class: "field", role: "group", "aria-label": t("make.time-control") }, make("span", { class: "label" }, t("make.time-control")), chosen, numbers), mark: chosen, read };
};

/** A field for a key of the file: its nodes, what reads it, and what is marked if it is wrong. */
const keyField = ({ key, kind, choices = [], usual }, value) => {
  if (key === "time-control") return control(value ?? "");
  const label = has("make." + key) ? t("make." + key) : key;
  const now = value ?? usual ?? "";
  let one;
  const more = [];
  if (kind === "choice") one = select([...(usual === null ? [["", "–"]] : []), ...choices.map((choice) => [choice, has("make." + choice) ? t("make." + choice) : choice])], now);
  else if (kind === "list") one = make("textarea", { class: "input", rows: 2 }, [now].flat().join("\n"));
  else one = input({ type: kind === "number" ? "number" : "text", min: 0, value: now, list: choices.length ? "offer-" + key : null });
  if (kind === "offer") more.push(make("datalist", { id: "offer-" + key }, ...choices.map((choice) => make("option", { value: choice }))));
  const read = () => {
    if (kind === "list") return one.value.split("\n").map((line) => line.trim()).filter(Boolean);
    const text = one.value.trim();
    return kind === "number" && text ? Number(text) : text;
  };
  one.dataset.key = key;
  return { node: field(label, one, ...more), mark: one, read };
};

/**
 * Lets the director make a tournament in the form of the page; returns a function that shows it again in
 * another language.
 * @param {string} token
 */
export const open = async (token) => {
  const ask = (question, body = "") => post("v1/director/" + question, token, body);
  const { file, keys, description } = await ask("setup");
  /** The description without the players. */
  let said = description ?? {};
  /** @type {{ on: boolean, name: string, engine: string, title?: string, parameters?: any[], error?: string, busy?: boolean, open?: boolean }[]} */
  let players = [];
  /** What reads the fields, by their keys. @type {Map<string, any>} */
  const fields = new Map();

  const tell = (text, isProblem = false) => {
    at("make-says").textContent = text;
    at("make-says").classList.toggle("problem", isProblem);
  };

  const describe = () => {
    const known = Object.fromEntries([...fields].map(([key, { read }]) => [key, read()]));
    const player = players.filter(({ on }) => on).map(({ name, engine }) => ({ name, engine }));
    return { ...said, ...known, player };
  };

  /** A name that no player has. */
  const free = (name) => {
    const isTaken = (text) => players.some((player) => player.name === text);
    let number = 1;
    while (isTaken(number === 1 ? name : `${name} ${number}`)) number += 1;
    return number === 1 ? name : `${name} ${number}`;
  };

  /** Starts an engine, and shows what it says of itself. */
  const probe = async (player) => {
    Object.assign(player, { busy: true, error: "" });
    showPlayers();
    try {
      const { name, ...found } = await ask("probe", player.engine);
      Object.assign(player, found);
      if (!player.name) player.name = free(name);
    } catch (error) {
      Object.assign(player, { on: false, error: error.message });
    }
    player.busy = false;
    showPlayers();
  };

  /** A field for a parameter that an engine has declared. */
  const parameter = (player, { name, value, type, min, max, values }) => {
    // The runner must know that an engine ponders.
    const key = name === "ponder" ? "ponder" : "param." + name;
    const usual = name === "ponder" ? "no" : value;
    const now = argument(player.engine, key) ?? usual;
    const set = ({ target }) => {
      player.engine = withArgument(player.engine, key, target.value === usual ? null : target.value);
      showPlayers();
    };
    const choices = name === "ponder" ? ["no", "yes"] : type === "bool" ? ["false", "true"] : values;
    const one = choices.length ? select(choices.map((choice) => [choice]), now, { change: set })
      : input({ type: type === "int" || type === "real" ? "number" : "text", step: type === "real" ? "any" : null, min, max, value: now, change: set });
    return field(name, one);
  };

  const showPlayers = () => {
    at("make-players").replaceChildren(...players.map((player) => {
      const tick = make("input", { type: "checkbox", class: "switch", "aria-label": player.name || player.engine, disabled: player.busy, change: () => {
        player.on = tick.checked;
        if (player.on && !player.parameters) probe(player);
      } });
      tick.checked = player.on;
      const name = input({ value: player.name, placeholder: player.engine.split(/[\\/]/).at(-1), "aria-label": t("make.name"), change: () => (player.name = name.value.trim()) });
      const text = input({ value: player.engine, change: () => {
        player.engine = text.value.trim();
        probe(player);
      } });
      const state = player.error || (player.busy ? t("make.trying") : player.title ?? "");
      const part = make("details", { class: "grow", open: player.open, toggle: () => (player.open = part.open) },
        make("summary", { class: player.error ? "problem" : "soft small" }, state || t("make.engine")),
        make("div", { class: "stack tight" }, field(t("make.engine"), text), make("div", { class: "grid" }, ...(player.parameters ?? []).map((one) => parameter(player, one)))));
      return make("li", {}, make("div", { class: "row" }, tick, name), part);
    }));
  };

  /** Takes up a description. */
  const read = ({ player = [], ...others }) => {
    said = others;
    players = player.map(({ name, engine }) => ({ on: true, name: name ?? argument(engine, "name") ?? "", engine }));
    if (!players.some(({ engine }) => engine === "builtin")) players.push({ on: false, name: "Meerslag", engine: "builtin" });
  };

  const show = () => {
    fields.clear();
    const all = keys.map((key) => {
      const made = keyField(key, said[key.key]);
      fields.set(key.key, made);
      return made.node;
    });
    at("make-keys").replaceChildren(...all.slice(0, SEEN));
    at("make-more").replaceChildren(...all.slice(SEEN));
    showPlayers();
  };

  /** Sends the description; what is refused is marked. */
  const send = async (question) => {
    for (const { mark } of fields.values()) mark.removeAttribute("aria-invalid");
    tell(t("make.busy"));
    at("make-buttons").disabled = true;
    try {
      const saved = await ask(question, JSON.stringify(describe()));
      tell(t("make.saved", { file: saved.file }));
    } catch (error) {
      tell(error.message, true);
      const [, number, key] = error.message.match(/^(?:player (\d+)|([a-z-]+)):/) ?? [];
      const { mark } = fields.get(key) ?? {};
      mark?.setAttribute("aria-invalid", "true");
      if (mark?.closest("details")) mark.closest("details").open = true;
      mark?.focus();
      if (number) {
        players.filter(({ on }) => on)[Number(number) - 1].error = error.message;
        showPlayers();
      }
    }
    at("make-buttons").disabled = false;
  };

  const add = (engine) => {
    const player = { on: true, name: "", engine };
    players.push(player);
    return probe(player);
  };
  at("make").addEventListener("submit", (event) => {
    event.preventDefault();
    send("start");
  });
  at("make-save").addEventListener("click", () => send("save"));
  at("make-add").addEventListener("click", () => {
    const engine = at("make-engine").value.trim();
    at("make-engine").value = "";
    if (engine) add(engine);
  });
  at("make-find").addEventListener("click", async () => {
    try {
      const found = await ask("programs", at("make-folder").value);
      tell(t("make.found", { programs: found.length }));
      players.push(...found.filter((one) => !players.some(({ engine }) => engine.includes(one))).map((engine) => ({ on: false, name: "", engine })));
      showPlayers();
    } catch (error) {
      tell(error.message, true);
    }
  });
  at("make-open").addEventListener("change", async ({ target }) => {
    const [chosen] = target.files;
    target.value = "";
    try {
      read(await ask("read", await chosen.text()));
      show();
      tell(t("make.read", { file: chosen.name }));
    } catch (error) {
      tell(error.message, true);
    }
  });
  read(said);
  show();
  tell(file);
  at("make").hidden = false;
  return () => {
    const { player, ...others } = describe();
    said = others;
    show();
  };
};
