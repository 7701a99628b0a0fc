// The page: puts the parts together and decides who gets a move of the user.

import { Analysis } from "./analysis.js";
import { short, squares } from "./board.js";
import { Book } from "./book.js";
import { Desk } from "./desk.js";
import { find, make } from "./dom.js";
import { Editor } from "./editor.js";
import { Endgames } from "./endgames.js";
import { Files } from "./files.js";
import { Grid } from "./grid.js";
import { Local } from "./local.js";
import { Moves } from "./moves.js";
import { Moving } from "./moving.js";
import { Play } from "./play.js";
import { Server } from "./server.js";
import { Tabs } from "./tabs.js";
import { LANGUAGES, setLanguage, t, translate } from "./texts.js";

/** Says something to the user, also to one who cannot see it. */
const say = (text) => (find("say").textContent = text);

const sheet = async () => {
  const text = await (await fetch("sheet.svg")).text();
  return document.adoptNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
};

const start = async () => {
  // The site that `meerslag serve --export` writes has no server.
  const isLocal = document.querySelector("meta[name=engine]").content === "local";
  const [drawing, engine] = await Promise.all([sheet(), isLocal ? Local.connect() : Server.connect()]);
  const desk = new Desk(engine);
  let flipped = false;

  const redraw = () => draw();
  const parts = { say, redraw, flipped: () => flipped };
  const turn = (value) => {
    flipped = value;
    draw();
  };

  const play = new Play(desk, parts);
  const analysis = new Analysis(desk, parts);
  const endgames = new Endgames(desk, parts);
  const editor = new Editor(desk, parts);
  const book = new Book(desk);
  const moves = new Moves(desk);
  new Files(desk, parts);

  const moving = new Moving(desk, redraw, (move) => {
    if (endgames.takes(move)) return;
    desk.play(move, { played: true });
    // During a game the engine's answer is announced; else the move itself.
    if (!play.side) say(move.text);
  });

  // The editor has the board while its panel is open.
  const owner = () => (editor.position ? editor : moving);
  const grid = new Grid(find("frame"), drawing, {
    pick: (square) => owner().pick(square),
    drag: (from, to) => owner().drag(from, to),
    canDrag: (square) => owner().canDrag(square),
  });

  const tabs = new Tabs(find("tabs"), (panel) => {
    editor.open(panel === "setup");
    book.open(panel === "book");
    draw();
  });

  /** Arrow of a hint in a game. */
  const hints = () => {
    if (!play.hint) return [];
    const [from, to] = squares(play.hint);
    return [{ from, to, kind: "best" }];
  };

  function draw() {
    const { node } = desk;
    if (editor.position) {
      grid.show({ position: editor.position, flipped });
      return;
    }
    const { chosen } = moving;
    const seesEndgame = tabs.current === "endgames";
    const marks = seesEndgame ? endgames.marks(chosen) : {};
    for (const { to } of moving.targets) marks[to] ??= "target";
    if (chosen) marks[chosen] = "chosen";
    const arrows = [...analysis.arrowList, ...(seesEndgame ? endgames.arrowList : []), ...hints()];
    const last = node.move ? squares(node.move).slice(0, 2) : null;
    const { movable } = moving;
    grid.show({ position: node.position, flipped, last, marks, arrows, chosen, movable });
    find("turn").textContent = t("toMove." + node.position[0]);
  }

  play.onStart = (side) => {
    endgames.side = null;
    endgames.showLesson();
    turn(side === "B");
  };
  endgames.onStart = (side) => {
    play.side = null;
    play.showButtons();
    turn(side === "B");
  };

  desk.addEventListener("change", () => {
    const { node } = desk;
    find("position-comment").textContent = node.comment;
    document.title = (node.move ? node.number + " " + short(node.move) + " – " : "") + "Meerslag";
  });

  find("flip").addEventListener("click", () => turn(!flipped));
  find("type-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const wrong = await moving.type(find("type").value);
    if (wrong) say(wrong);
    else find("type").value = "";
  });

  find("slice-set").addEventListener("click", async () => {
    try {
      const position = await endgames.setUp();
      desk.start(position);
      say(t("setUp"));
    } catch (problem) {
      say(t("problem", { what: problem.message }));
    }
  });

  find("help").addEventListener("click", () => find("keys").showModal());
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
    const keys = {
      ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last",
      f: "flip", a: "analyse", w: "whole", h: "play-hint", "?": "help",
    };
    const panels = ["play", "analysis", "endgames", "setup", "book", "game"];
    if (event.key in keys) find(keys[event.key]).click();
    else if (/^[1-6]$/.test(event.key)) tabs.open(panels[event.key - 1]);
    else if (event.key === "m") find("type").focus();
    else if (event.key === "b") grid.focus(grid.focused ?? 28);
    else return;
    event.preventDefault();
  });

  const language = find("language");
  language.append(...Object.entries(LANGUAGES).map(([code, name]) => make("option", { value: code }, name)));
  language.value = t.language;
  language.addEventListener("change", () => {
    setLanguage(language.value);
    endgames.loadSlices();
    tabs.choose(tabs.tabs.find((tab) => tab.getAttribute("aria-controls") === tabs.current));
    analysis.toggle(analysis.on);
    desk.changed();
  });

  await endgames.loadSlices();
  tabs.open("play");
  desk.changed();
  find("desk").hidden = false;
  find("loading").hidden = true;
  document.body.dataset.ready = "true";
  return moves;
};

translate();
start().catch((problem) => {
  find("loading").textContent = t("problem", { what: problem.message });
});
