// The page: connects the parts and decides which of them gets a move of the user.

import { Analysis } from "./analysis.js";
import { short, squares } from "./board.js";
import { Book } from "./book.js";
import { Database } from "./database.js";
import { Desk } from "./desk.js";
import { Diagrams } from "./diagrams.js";
import { find, make } from "./dom.js";
import { Editor } from "./editor.js";
import { Endgames } from "./endgames.js";
import { Engine } from "./engine.js";
import { Files } from "./files.js";
import { Grid } from "./grid.js";
import { Keep } from "./keep.js";
import { Learn } from "./learn.js";
import { Local } from "./local.js";
import { Moves } from "./moves.js";
import { Moving } from "./moving.js";
import { Play } from "./play.js";
import { Preview } from "./preview.js";
import { Problem, problemText } from "./problem.js";
import { Report } from "./report.js";
import { Server } from "./server.js";
import { Recent } from "./recent.js";
import { connect, settings } from "./settings.js";
import { Share } from "./share.js";
import { sound } from "./sound.js";
import { Tabs } from "./tabs.js";
import { LANGUAGES, setLanguage, t, translate } from "./texts.js";

/**
 * The functions of the page for its parts.
 * @typedef {object} Parts
 * @property {(text: string) => void} say tells the user something.
 * @property {() => void} redraw shows the board again.
 * @property {() => boolean} flipped whether Black is at the bottom.
 * @property {(move: string) => void} follow plays a move in Hub notation.
 * @property {() => void} leave goes back to the previous view.
 */

/** With this many pieces an endgame of the databases is near. */
const ENDGAME = 10;

/** Says something to the user, also through a screen reader. */
const say = (text) => (find("say").textContent = text);

const sheet = async () => {
  let text;
  try {
    text = await (await fetch("sheet.svg")).text();
  } catch {
    throw Problem.lost();
  }
  return document.adoptNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
};

/** Failures that no part of the page handles are shown. */
addEventListener("unhandledrejection", (event) => {
  say(problemText(event.reason));
  if (event.reason instanceof Problem) event.preventDefault();
});

const start = async () => {
  // The site that `meerslag serve --export` writes has no server.
  const isLocal = document.querySelector("meta[name=engine]").getAttribute("content") === "local";
  const engine = await Engine.connect(isLocal ? Local.connect : Server.connect);
  const drawing = await engine.insist(sheet);
  const desk = new Desk(engine);
  let flipped = false;

  connect(() => grid.numberOutside(settings.coordinates === "outside"));
  const redraw = () => draw();
  const parts = {
    say,
    redraw,
    flipped: () => flipped,
    follow: (move) => moving.follow(move),
    leave: () => tabs.open(tabs.before ?? "play"),
  };
  const turn = (value) => {
    flipped = value;
    draw();
    analysis.drawBar();
    play.clock.draw();
  };

  const play = new Play(desk, parts);
  const analysis = new Analysis(desk, parts, new Preview(find("preview"), drawing));
  const report = new Report(desk, parts, analysis);
  const endgames = new Endgames(desk, parts);
  const learn = new Learn(desk, parts, endgames, report);
  const editor = new Editor(desk, parts);
  const book = new Book(desk, parts);
  const database = new Database(desk, parts);
  const moves = new Moves(desk);
  const files = new Files(desk, parts);

  const moving = new Moving(desk, parts, (move) => {
    if (desk.owner === "report") return report.tried(move);
    desk.play(move, { played: true });
    // During a game the engine's answer is announced, otherwise the move itself.
    if (!desk.side) say(move.text);
  });

  const owner = () => (desk.owner === "editor" ? editor : database.isDrawing ? database : moving);
  const grid = new Grid(find("frame"), drawing, {
    pick: (square) => owner().pick(square),
    drag: (from, to) => owner().drag(from, to),
    canDrag: (square) => owner().canDrag(square),
    lift: (square) => owner().lift(square),
    draw: (from, to) => {
      if (owner() !== moving) return;
      desk.edit(() => desk.node.toggleDrawing(from, to));
    },
  });

  grid.numberOutside(settings.coordinates === "outside");
  const diagrams = new Diagrams(desk, parts, drawing);

  let showRecent = () => {};
  const tabs = new Tabs(find("tabs"), (panel) => {
    editor.open(panel === "setup");
    book.open(panel === "book");
    if (panel === "learn") learn.open();
    database.open(panel === "database");
    if (panel === "game") showRecent();
    draw();
  });

  /** Arrow of a hint in a game. */
  const hints = () => {
    if (!play.hint) return [];
    const [from, to] = squares(play.hint);
    return [{ from, to, kind: "best" }];
  };

  /** The last node shown on the board. */
  let drawn = null;
  /** A step in the game slides the pieces. */
  const animate = (node) => {
    if (node === drawn) return;
    const before = drawn;
    drawn = node;
    if (before && node.parent === before) {
      sound(node.move.includes("x") ? "capture" : "move");
      if (moving.dropped) grid.motion.end();
      else grid.motion.forward(before.position, node.move);
    } else if (before?.parent === node) grid.motion.back(before.move);
    else grid.motion.end();
    moving.dropped = false;
  };

  function draw() {
    const { node } = desk;
    if (desk.owner === "editor") {
      grid.motion.end();
      grid.show({ position: desk.draft, flipped });
      drawn = null;
      return;
    }
    if (database.isDrawing) {
      grid.motion.end();
      grid.show({ ...database.shown, flipped });
      drawn = null;
      return;
    }
    const { chosen } = moving;
    const seesEndgame = tabs.current === "endgames";
    const marks = seesEndgame ? endgames.marks(chosen) : {};
    for (const { to } of moving.targets) marks[to] ??= "target";
    for (const square of moving.via) marks[square] = "chosen";
    if (chosen) marks[chosen] = "chosen";
    const names = {};
    for (const square of moving.ahead) [marks[square], names[square]] = ["chosen", "ahead"];
    const arrows = [
      ...moving.arrowList, ...analysis.arrowList, ...report.arrowList, ...node.drawings,
      ...(seesEndgame ? endgames.arrowList : []), ...learn.arrowList, ...hints(),
    ];
    const last = node.move ? squares(node.move).slice(0, 2) : null;
    const { movable } = moving;
    grid.show({ position: node.position, flipped, last, marks, names, arrows, chosen, movable });
    animate(node);
    find("turn").textContent = t("toMove." + node.position[0]);
  }

  learn.onLesson = () => tabs.open("endgames");
  learn.pdn = () => files.pdn();
  files.onSolve = (exercises) => {
    tabs.open("learn");
    learn.take(exercises);
  };
  play.onStart = endgames.onStart = report.onStart = learn.onStart = (side) => turn(side === "B");
  analysis.onStart = () => report.run?.abort();

  desk.addEventListener("change", () => {
    const { node } = desk;
    if (desk.pieces <= ENDGAME) engine.foresee();
    const clock = node.clock === null ? "" : t("clockHas", { seconds: node.clock.toFixed(1) });
    find("position-comment").textContent = [clock, node.comment].filter(Boolean).join(". ");
    document.title = (node.move ? node.number + " " + short(node.move) + " – " : "") + "Meerslag";
  });

  find("flip").addEventListener("click", () => turn(!flipped));
  find("type-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const field = find("type");
    const typed = field.value;
    const wrong = await moving.type(typed);
    if (wrong) say(wrong);
    // Text typed while the move is read, or while a question is open, is kept.
    else if (field.value === typed) field.value = "";
  });

  find("help").addEventListener("click", () => {
    /** @type {HTMLAnchorElement} */ (find("manual")).href = desk.engine.about.manual;
    find("keys").showModal();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = /** @type {Element} */ (event.target).closest("input, textarea, select, dialog");
    const isUndo = event.key === "z" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const isRedo = (event.ctrlKey || event.metaKey) && !event.altKey
      && (event.key === "y" || (event.shiftKey && event.key.toLowerCase() === "z"));
    if (!isTyping && (isUndo || isRedo)) {
      find(isUndo ? "undo" : "redo").click();
      return event.preventDefault();
    }
    if (isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
    const keys = {
      ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last",
      f: "flip", a: "analyse", w: "whole", h: "play-hint", t: "threat", u: "undo", y: "redo", "?": "help",
    };
    const panels = ["play", "analysis", "endgames", "setup", "book", "game", "learn", "database"];
    if (event.key in keys) find(keys[event.key]).click();
    else if (/^[1-8]$/.test(event.key)) tabs.open(panels[Number(event.key) - 1]);
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
    engine.show();
    endgames.loadSlices();
    play.nameLevels();
    files.list();
    tabs.open(tabs.current);
    analysis.show(analysis.on);
    analysis.draw();
    report.translate();
    learn.draw();
    files.draw();
    diagrams.draw();
    desk.changed();
  });

  await endgames.loadSlices();
  const keep = new Keep(desk, parts, () => ({ flipped, tab: tabs.current }));
  const view = await keep.restore();
  const recent = new Recent(desk, parts, keep);
  showRecent = () => recent.draw();
  keep.onKept = () => {
    if (tabs.current === "game") recent.draw();
  };
  flipped = Boolean(view?.flipped);
  play.showLimit();
  tabs.open(view?.tab ?? "play");
  desk.changed();
  const share = new Share(desk, parts, {
    view: () => tabs.current,
    open: (view) => tabs.open(view),
    turn,
    read: (pdn) => files.read(pdn),
    copy: (text) => files.copy(text),
  });
  await share.open();
  find("desk").hidden = false;
  // Scrolled to the move on the board, now that the list is visible.
  moves.draw();
  find("loading").hidden = true;
  document.body.dataset.ready = "true";
  engine.prepare();
  return moves;
};

translate();
start().catch((problem) => {
  find("loading").textContent = problemText(problem);
});
