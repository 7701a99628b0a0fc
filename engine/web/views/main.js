// The page: connects the parts and decides which of them gets a move of the user.

import { connectChoices } from "../base/choice.js";
import { all, drawIcons, find, icon, make, on, onClick } from "../base/dom.js";
import { connectPops, openPop } from "../base/pops.js";
import { chosen, setLanguage, speak, translate } from "../base/language.js";
import { LANGUAGES, t } from "../base/texts.js";
import { arrowOf, short, squares } from "../board/board.js";
import { Grid } from "../board/grid.js";
import { Moving } from "../board/moving.js";
import { Preview } from "../board/preview.js";
import { sound } from "../board/sound.js";
import { Collection } from "../engine/collection.js";
import { Engine } from "../engine/engine.js";
import { Local } from "../engine/local.js";
import { Problem, problemText } from "../engine/problem.js";
import { Server } from "../engine/server.js";
import { Desk } from "../game/desk.js";
import { Files } from "../game/files.js";
import { Keep } from "../game/keep.js";
import { Moves } from "../game/moves.js";
import { Recent } from "../game/recent.js";
import { Share } from "../game/share.js";
import { Analysis } from "./analysis.js";
import { Book } from "./book.js";
import { Database } from "./database.js";
import { Diagrams } from "./diagrams.js";
import { Editor } from "./editor.js";
import { Endgames } from "./endgames.js";
import { Learn } from "./learn.js";
import { Play } from "./play.js";
import { Report } from "./report.js";
import { connect, isDark, set, settings } from "./settings.js";
import { Views } from "./views.js";

/**
 * The functions of the page for its parts.
 * @typedef {object} Parts
 * @property {(text: string, isQuiet?: boolean) => void} say tells the user something; quietly: for screen readers.
 * @property {() => void} redraw shows the board again.
 * @property {() => boolean} flipped whether Black is at the bottom.
 * @property {(move: string) => void} follow plays a move in Hub notation.
 * @property {() => void} leave goes back to the previous view.
 * @property {(view: string) => void} open shows a view.
 * @property {() => void} show shows what belongs to the state of things.
 * @property {(side: string) => void} face puts a side at the bottom of the board.
 */

/** With this many pieces an endgame of the databases is near. */
const ENDGAME = 10;
/** Milliseconds for which a message is seen. */
const SEEN = 6000;

let hiding = 0;
addEventListener("pointerdown", () => (find("say").className = "unseen"));
/** Says something to the user, also through a screen reader. In a game it stands below the moves. */
const say = (text, isQuiet = false) => {
  find("say").textContent = text;
  if (!isQuiet) find("status").textContent = text;
  const isShown = text && !isQuiet && !["playing", "over"].includes(document.body.dataset.state);
  find("say").className = isShown ? "toast" : "unseen";
  clearTimeout(hiding);
  hiding = setTimeout(() => (find("say").className = "unseen"), SEEN);
};

/** Failures that no part of the page handles are shown. */
addEventListener("unhandledrejection", (event) => {
  say(problemText(event.reason));
  if (event.reason instanceof Problem) event.preventDefault();
});

/** The keys, as the help lists them. */
const KEYS = [
  ["← →", "key.steps"], ["Home, End", "key.ends"], ["Space, a", "key.analyse"], ["w", "key.whole"], ["f", "flip"], ["h", "hint"],
  ["t", "threat"], ["b", "key.board"], ["m", "key.move"], ["c, x", "key.drawings"], ["u, y", "key.undo"], ["o, s", "key.files"],
  ["1–8", "key.views"], ["d", "key.theme"], ["?", "keysHelp"], ["Esc", "close"],
];

/** The engine of the site that `meerslag serve --export` writes, which has no server. */
const local = document.querySelector("meta[name=engine]").getAttribute("content") === "local" ? new Local() : null;
// On its way from now on; if it is lost, the first question requests it again.
local?.engine().catch(() => {});

const start = async () => {
  const engine = await Engine.connect(local ? () => Local.connect(local) : () => Server.connect(Collection));
  const desk = new Desk(engine);
  let flipped = false;
  /** @type {Recent | null} */
  let recent = null;

  find("evaluation-row").hidden = !local;
  connect(() => {
    grid.numberOutside(settings.coordinates === "outside");
    drawMore();
    engine.strengthen(settings.evaluation);
  });
  const redraw = () => draw();
  const parts = {
    say,
    redraw,
    flipped: () => flipped,
    follow: (move) => moving.follow(move),
    leave: () => views.leave(),
    open: (view) => views.open(view),
    show: () => show(),
    face: (side) => turn(side === "B"),
  };
  const turn = (value) => {
    flipped = value;
    draw();
    analysis.drawBar();
    play.draw();
  };

  const play = new Play(desk, parts);
  const analysis = new Analysis(desk, parts, new Preview(find("preview")));
  const report = new Report(desk, parts, analysis);
  const endgames = new Endgames(desk, parts);
  const editor = new Editor(desk, parts);
  const book = new Book(desk, parts);
  const files = new Files(desk, parts);
  const learn = new Learn(desk, parts, endgames, report, files);
  const database = new Database(desk, parts, files);
  const moves = new Moves(desk);
  for (const one of all("[data-act=mine]")) one.classList.toggle("none", !engine.about.takes_games);

  const moving = new Moving(desk, parts, (move) => {
    if (desk.owner === "report") return report.tried(move);
    // A move before the start of a game begins it, with the sides as chosen.
    if (views.state === "play" && !play.begins()) return;
    desk.play(move, { played: true });
    // During a game the engine's answer is announced, otherwise the move itself.
    if (!desk.side) say(move.text, true);
  });

  const owner = () => /** @type {any} */ (desk.owner === "editor" ? editor : database.isDrawing ? database : moving);
  const grid = new Grid(find("frame"), {
    pick: (square) => owner().pick(square),
    drag: (from, to) => owner().drag?.(from, to),
    canDrag: (square) => owner().canDrag?.(square),
    lift: (square) => owner().choose?.(square),
    draw: (from, to) => {
      if (owner() !== moving) return;
      desk.edit(() => desk.node.toggleDrawing(from, to));
    },
  });
  grid.numberOutside(settings.coordinates === "outside");
  const diagrams = new Diagrams(desk, parts);
  translate();

  const views = new Views(
    (view) => {
      switch (view) {
        case "play": return play.side ? "playing" : play.isOver ? "over" : "play";
        case "analysis": return report.state ?? "analysis";
        case "endgames": return endgames.isLesson ? "lesson" : "endgames";
        case "learn": return learn.isAtBoard ? "puzzle" : "learn";
        default: return view;
      }
    },
    (view, isEntered) => {
      if (isEntered) {
        if (view === "analysis") report.close();
        if (view === "learn") learn.close();
      }
      typing(false);
      editor.open(view === "setup");
      book.open(view === "book");
      endgames.open(view === "endgames");
      if (view === "learn") learn.open();
      database.open(view === "database", view === "game" && files.source === "all");
      files.open(view === "game");
      if (view === "database" || view === "play") recent?.draw();
      show();
      draw();
    },
  );

  /** The title of the panel and the line below it. */
  const heading = (state) => {
    const { game } = desk;
    const tag = (name) => game.tags.get(name) || "";
    const names = tag("White") || tag("Black") ? game.title.replace(" - ", " – ") : "";
    const about = [game.result === "*" ? "" : game.result, [tag("Event"), tag("Date")].filter(Boolean).join(", ")].filter(Boolean).join(" · ");
    switch (state) {
      case "play": return [t("newGame"), ""];
      case "setup": return [t("setUpPosition"), ""];
      case "lesson": return endgames.heading;
      case "puzzle": return learn.heading;
      case "report": return [names || t("report"), report.about];
      case "better": return [t("findAll"), names];
      case "endgames": return endgames.heading ?? [names || t("analysis"), about];
      default: return [names || t("analysis"), about];
    }
  };

  function show() {
    views.show();
    const { state } = views;
    const [title, below] = heading(state);
    find("title").textContent = title;
    find("subtitle").textContent = below;
    const { variant } = desk.game;
    find("variant").textContent = variant && t("variant." + variant);
    find("variant").hidden = !variant || state === "setup";
    find("moments").hidden = state !== "report" || report.mistakes.length === 0;
    find("bar").classList.toggle("off", !["analysis", "endgames", "book", "game", "report"].includes(state));
    const closes = { setup: "cancel", puzzle: "backToLearn", lesson: "endLesson", better: "endSearch" };
    find("head-close").ariaLabel = find("head-close").title = t(closes[state] ?? "close");
    play.draw();
  }

  onClick("head-close", () => {
    const closing = {
      setup: () => views.leave(), lesson: () => endgames.leave(), puzzle: () => learn.close(),
      report: () => report.close(), better: () => report.end(t("soughtEnough")),
    };
    closing[views.state]?.();
    show();
    draw();
  });

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
    if (desk.owner === "editor" || database.isDrawing) {
      grid.motion.end();
      grid.show(desk.owner === "editor" ? { position: desk.draft, flipped } : { ...database.shown, flipped });
      drawn = null;
      return;
    }
    const { chosen } = moving;
    const seesEndgame = views.state === "endgames";
    const { marks, values } = seesEndgame ? endgames.marks(chosen) : { marks: {}, values: {} };
    const names = Object.fromEntries(moving.ahead.map((square) => [square, "ahead"]));
    const arrows = [
      ...moving.arrowList, ...(views.state === "analysis" ? analysis.arrowList : analysis.threats), ...report.arrowList, ...node.drawings,
      ...(seesEndgame ? endgames.arrows(chosen) : []), ...learn.arrowList, ...(play.hint ? [arrowOf(play.hint, "best")] : []),
    ];
    const last = node.move ? squares(node.move).slice(0, 2) : null;
    const { movable } = moving;
    grid.show({ position: node.position, flipped, last, marks: moving.mark(marks), values, names, arrows, chosen, movable });
    animate(node);
    find("turn").textContent = t("toMove." + node.position[0]);
  }

  desk.addEventListener("change", () => {
    const { node } = desk;
    if (desk.pieces <= ENDGAME) engine.foresee();
    const clock = node.clock === null ? "" : t("clockHas", { seconds: node.clock.toFixed(1) });
    find("position-comment").textContent = [clock, node.comment].filter(Boolean).join(". ");
    document.title = (node.move ? node.number + " " + short(node.move) + " – " : "") + "Meerslag";
    show();
  });

  /** Shows the field for typed moves in place of the icons, or hides it. */
  const typing = (isOn) => {
    const isShown = isOn && !find("desk").hidden;
    find("type-form").hidden = !isShown;
    if (!isShown) find("type").value = "";
    find("panel").classList.toggle("typing", isShown);
    if (isShown) find("type").focus();
  };
  onClick("type-close", () => typing(false));
  const isWaiting = () => !find("type-form").hidden && find("type").value === "";
  on("type", "keydown", ({ key }) => key === "Escape" && typing(false));
  on("type-form", "submit", async (event) => {
    event.preventDefault();
    const field = find("type");
    const typed = field.value;
    // It has been played already.
    if (!typed.trim()) return;
    const wrong = await moving.type(typed);
    if (wrong) return say(wrong);
    // Text typed while the move is read, or while a question is open, is kept.
    if (field.value === typed) field.value = "";
    await moving.force(isWaiting);
  });
  // A game from paper is typed without Enter.
  on("type", "input", async () => {
    const field = find("type");
    const typed = field.value;
    const move = await moving.complete(typed.trim());
    if (!move || field.value !== typed) return;
    field.value = "";
    moving.play(move);
    await moving.force(isWaiting);
  });

  const actions = {
    flip: () => turn(!flipped),
    first: () => find("first").click(), back: () => desk.go(desk.node.parent), forward: () => desk.go(desk.node.children[0]),
    analysis: () => (report.close(), views.open("analysis")),
    analyse: () => (views.open("analysis"), analysis.toggle(true)),
    open: () => files.ask(),
    save: () => find("save-pdn").click(),
    mine: () => files.saveMine(),
    link: () => find("copy-link").click(),
    delete: () => find("delete").click(),
    names: () => find("names").showModal(),
    diagrams: () => find("diagrams-dialog").showModal(),
    setup: () => views.open("setup"),
    type: () => typing(true),
    note: () => openPop(find("note")), share: () => openPop(find("share-pop")), "whole-pop": () => openPop(find("whole-pop")),
    "from-here": () => {
      find("play-from").value = "board";
      play.showLimit();
      play.leave();
      views.open("play");
    },
  };
  document.addEventListener("click", ({ target }) => {
    const { act } = /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (target).closest?.("[data-act]"))?.dataset ?? {};
    if (act) actions[act]();
  });

  // The menu More.
  const drawMore = () => {
    find("language-now").textContent = LANGUAGES[t.language];
    find("theme-item").querySelector("b").textContent = t(isDark() ? "lightColours" : "darkColours");
    find("theme-item").querySelector("svg").replaceWith(icon(isDark() ? "light" : "dark"));
    find("sounds-item").querySelector("span").textContent = t(settings.sounds ? "on" : "off");
  };
  on("rail-more", "click", (event) => {
    event.preventDefault();
    drawMore();
    /** @type {HTMLAnchorElement} */ (find("manual")).href = desk.engine.about.manual;
    openPop(find("more-menu"), find("rail-more").getBoundingClientRect());
  });
  const theme = () => set("theme", isDark() ? "light" : "dark");
  onClick("settings", () => find("look").showModal());
  onClick("language-item", () => {
    find("look").showModal();
    find("language").focus();
  });
  onClick("theme-item", theme);
  onClick("sounds-item", () => set("sounds", !settings.sounds));
  onClick("help", () => find("keys").showModal());
  onClick("engine-on", () => analysis.toggle(true));
  onClick("print", () => print());
  onClick("moments-print", () => print());
  const listKeys = () =>
    find("key-list").replaceChildren(...KEYS.flatMap(([keys, key]) => [
      make("dt", {}, ...keys.split(", ").flatMap((one, index) => [index ? " " : "", make("kbd", {}, one)])), make("dd", {}, t(key)),
    ]));
  listKeys();

  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    const isTyping = target.closest("input:not([type=checkbox]), textarea, select, dialog, :popover-open");
    const command = (event.ctrlKey || event.metaKey) && !event.altKey && (event.shiftKey ? "Shift-" : "") + event.key.toLowerCase();
    const edit = { z: "undo", y: "redo", "Shift-z": "redo", "Shift-y": "redo" }[command];
    if (!isTyping && edit) {
      find(edit).click();
      return event.preventDefault();
    }
    if (isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
    // Space presses the button that has the focus.
    if (event.key === " " && target.closest("button, a, input, [tabindex]")) return;
    const keys = {
      ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", h: "play-hint", u: "undo", y: "redo", s: "save-pdn",
      "?": "help", t: "threat",
    };
    const more = {
      f: actions.flip, a: () => analysis.toggle(), " ": () => analysis.toggle(), w: () => report.toggle(), o: actions.open, d: theme, m: actions.type,
      b: () => grid.focus(grid.focused ?? 28), 6: () => (views.open("game"), openPop(find("game-menu"))),
      ArrowUp: () => moves.beside(-1), ArrowDown: () => moves.beside(1),
    };
    const panels = ["play", "analysis", "endgames", "setup", "book", "game", "learn", "database"];
    if (event.key in more) more[event.key]();
    else if (event.key in keys) find(keys[event.key]).click();
    else if (/^[1-8]$/.test(event.key)) views.open(panels[Number(event.key) - 1], true);
    else return;
    event.preventDefault();
  });

  const language = find("language");
  language.append(...Object.entries(LANGUAGES).map(([code, name]) => make("option", { value: code }, name)));
  language.value = t.language;
  on("language", "change", async () => {
    await setLanguage(language.value);
    language.value = t.language;
    listKeys();
    engine.show();
    endgames.loadSlices();
    play.nameLevels();
    files.list();
    views.open(views.current);
    analysis.show(analysis.on);
    analysis.draw();
    report.translate();
    learn.draw();
    files.draw();
    database.renew();
    diagrams.draw();
    desk.changed();
  });

  await endgames.loadSlices();
  const keep = new Keep(desk, parts, () => ({ flipped, tab: views.current, report: report.isOpen }));
  const view = await keep.restore();
  recent = new Recent(desk, parts, keep);
  keep.onKept = () => ["database", "play"].includes(views.state) && recent.draw();
  flipped = Boolean(view?.flipped);
  report.isOpen = Boolean(view?.report);
  learn.isAtBoard = Boolean(desk.task("puzzle"));
  play.showLimit();
  views.open(view?.tab ?? "play");
  desk.changed();
  await new Share(desk, parts, files, () => views.current).open();
  find("loading").hidden = true;
  document.body.dataset.ready = "true";
  // Scrolled to the move on the board, now that the list is visible.
  moves.draw();
  engine.prepare(settings.evaluation);
  return moves;
};

drawIcons();
connectChoices();
connectPops();
document.body.append(find("waiting"));
speak(chosen()).then(() => {
  translate();
  return start();
}).catch((problem) => {
  find("loading").textContent = t.language ? problemText(problem) : String(problem);
});
