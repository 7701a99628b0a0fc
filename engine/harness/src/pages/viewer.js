// web/board.js comes before this in the page.
(() => {
  const games = JSON.parse(document.getElementById("data").textContent);
  const rows = [...document.querySelectorAll("#games tr[data-game]")];
  const byId = (id) => document.getElementById(id);
  const board = new Board(byId("board").firstElementChild);
  let game = null; // positions, moves, infos, names
  let ply = 0;
  let flipped = false;

  // A part of the curve.
  const part = (name, attributes, text) => {
    const node = element(name, attributes);
    if (text !== undefined) node.textContent = text;
    return node;
  };

  // White's score after each move, as far as it is known, with the place in the game.
  const drawCurve = () => {
    const curve = byId("curve");
    const width = 300, height = 90, most = 5;
    const x = (index) => (width * index) / Math.max(1, game.moves.length);
    const y = (score) => height / 2 - (Math.max(-most, Math.min(most, score)) * height) / 2 / most;
    curve.replaceChildren(
      part("title", {}, "White's score in men, from -5 to +5"),
      part("line", { class: "zero", x1: 0, x2: width, y1: height / 2, y2: height / 2 })
    );
    // Each engine of a match judges for itself: one line for each.
    for (const white of game.notes ? [null] : [true, false]) {
      const points = [];
      game.infos.forEach(([score], index) => {
        const isOf = white === null || (game.positions[index][0] === "W") === white;
        if (isOf && score !== null) {
          points.push(x(index + 1).toFixed(1) + "," + y(score).toFixed(1));
        }
      });
      if (points.length > 0) {
        const shown = white === false ? "line blacks" : "line whites";
        curve.append(part("polyline", { class: shown, points: points.join(" ") }));
      }
    }
    curve.append(part("line", { class: "here", x1: x(ply), x2: x(ply), y1: 0, y2: height }));
  };

  // The clock of a side: what it had left after its last move, or else what it has used so far.
  const clock = (white) => {
    let left = null;
    let used = 0;
    for (let index = 0; index < ply; index++) {
      if ((game.positions[index][0] === "W") !== white) continue;
      used += game.infos[index][2];
      left = game.infos[index][3];
    }
    const seconds = Math.abs(left === null ? used : left);
    const text = Math.floor(seconds / 60) + ":" + (seconds % 60).toFixed(1).padStart(4, "0");
    const name = game.players[white ? 0 : 1];
    return name + "  " + (left === null ? "used " : left < 0 ? "-" : "") + text;
  };

  // Of an annotated game: the best move from here, and the one that was played if it was bad.
  const arrows = () => {
    if (!game.notes) return [];
    const note = game.notes[ply];
    const [from, to] = (note ? note.best : game.best) || [];
    const list = from ? [{ from, to, kind: "best" }] : [];
    if (note && note.glyph) {
      const [start, end] = squares(game.moves[ply]);
      list.push({ from: start, to: end, kind: "bad" });
    }
    return list;
  };

  const GLYPHS = { 2: "?", 4: "??", 6: "?!" };

  const draw = () => {
    const last = ply > 0 ? squares(game.moves[ply - 1]).slice(0, 2) : null;
    board.show({ position: game.positions[ply], flipped, last, arrows: arrows() });
    board.svg.setAttribute("aria-label", "Position: " + fen(game.positions[ply]));
    byId(flipped ? "lower" : "upper").textContent = clock(false);
    byId(flipped ? "upper" : "lower").textContent = clock(true);
    drawCurve();
    byId("copied").textContent = "";
    const shown = byId("moves").querySelectorAll("span");
    shown.forEach((span, index) => span.classList.toggle("now", index === ply - 1));
    if (ply > 0 && shown[ply - 1].scrollIntoView) {
      shown[ply - 1].scrollIntoView({ block: "nearest" });
    }
    byId("info").textContent = ply > 0 ? describe(ply - 1) : "start position";
  };

  const describe = (index) => {
    const [score, depth, time, clock] = game.infos[index];
    const parts = [game.moves[index]];
    if (score !== null) parts.push("White's score " + (score > 0 ? "+" : "") + score.toFixed(2));
    if (depth !== null) parts.push("depth " + depth);
    if (!game.notes || time > 0) parts.push(time.toFixed(3) + " s");
    if (clock !== null) parts.push("clock " + clock.toFixed(1) + " s");
    const note = game.notes && game.notes[index];
    if (!note) return parts.join(", ");
    parts.push("White's share " + Math.round(100 * note.chance) + " %");
    return parts.join(", ") + (note.text && ". " + note.text);
  };

  const go = (to) => {
    if (!game) return;
    ply = Math.max(0, Math.min(game.moves.length, to));
    draw();
    // The address leads here again; no step of its own in the history.
    try {
      history.replaceState(null, "", "#game=" + game.number + "&ply=" + ply);
    } catch {
      // Some browsers refuse it for local files.
    }
  };

  const list = () => {
    const moves = byId("moves");
    const items = [];
    game.moves.forEach((move, index) => {
      const white = game.positions[index][0] === "W";
      if (white || items.length === 0) items.push(document.createElement("li"));
      const item = items[items.length - 1];
      if (!white && item.children.length === 0) item.append("… ");
      const span = document.createElement("span");
      const glyph = game.notes && game.notes[index] && game.notes[index].glyph;
      span.textContent = short(move) + (GLYPHS[glyph] || "");
      if (glyph) span.classList.add("bad");
      span.addEventListener("click", () => go(index + 1));
      item.append(span);
    });
    moves.replaceChildren(...items);
  };

  // The names in the data are as short as viewer/mod.rs writes them; here they get longer ones.
  const noteOf = ({ g, t, b, c }) => ({ glyph: g, text: t, best: b, chance: c });

  const show = (index, at) => {
    const { p, m, i, d, n, b, s = [] } = games[index];
    const setUps = new Map(s);
    const positions = [setUps.get(0) || p];
    m.forEach((move, at) => positions.push(setUps.get(at + 1) || after(positions[at], move)));
    rows.forEach((row) => row.classList.toggle("shown", Number(row.dataset.game) === index));
    const cells = [...rows[index].cells].map((cell) => cell.textContent);
    const [number, white, black] = cells;
    game = { positions, moves: m, infos: i, pdn: d, notes: n && n.map(noteOf), best: b, number };
    game.players = [white, black];
    byId("players").textContent =
      "Game " + cells[0] + ": " + cells[1] + " – " + cells[2] + "  " + cells[3] +
      (cells[7] ? " (" + cells[7] + ")" : "");
    byId("viewer").hidden = false;
    list();
    go(at || 0);
    if (byId("viewer").scrollIntoView) byId("viewer").scrollIntoView();
  };

  // A link to a game and a ply.
  const follow = () => {
    const [, number, at] = location.hash.match(/^#game=(\d+)(?:&ply=(\d+))?$/) || [];
    const index = rows.findIndex((row) => row.cells[0].textContent === number);
    if (index >= 0) show(index, Number(at || 0));
  };

  const copy = (text, what) => {
    const done = () => (byId("copied").textContent = what + " copied");
    // Without the right to use the clipboard, as in a local file of some browsers, by selection.
    const select = () => {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const copied = document.execCommand && document.execCommand("copy");
      area.remove();
      byId("copied").textContent = copied ? what + " copied" : text;
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, select);
    else select();
  };

  const save = () => {
    const link = document.createElement("a");
    link.setAttribute("href", "data:application/vnd.chess-pdn;charset=utf-8," + encodeURIComponent(game.pdn));
    link.setAttribute("download", "game" + game.number + ".pdn");
    link.click();
  };

  // Only the rows that the filter lets pass.
  const filter = () => {
    const player = byId("by-player").value;
    const result = byId("by-result").value;
    const end = byId("by-end").value.toLowerCase();
    let count = 0;
    for (const row of rows) {
      const cells = [...row.cells].map((cell) => cell.textContent);
      row.hidden =
        (player !== "" && cells[1] !== player && cells[2] !== player) ||
        (result !== "" && cells[3] !== result) ||
        !cells[7].toLowerCase().includes(end);
      if (!row.hidden) count += 1;
    }
    byId("count").textContent = count + " of " + rows.length + (rows.length === 1 ? " game" : " games");
  };

  // By a column; a second time in the other direction.
  const sort = (column) => {
    const head = document.querySelectorAll("#games th")[column];
    const down = head.getAttribute("aria-sort") === "ascending";
    document.querySelectorAll("#games th").forEach((th) => th.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const text = (row) => row.cells[column].textContent;
    const compare = (a, b) => {
      const [one, other] = [text(a), text(b)];
      const numbers = [Number(one), Number(other)];
      if (numbers.some(Number.isNaN)) return one.localeCompare(other);
      return numbers[0] - numbers[1];
    };
    const sorted = [...rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
    document.querySelector("#games tbody").append(...sorted);
  };

  rows.forEach((row, index) => {
    row.addEventListener("click", () => show(index));
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter") show(index);
    });
  });
  byId("first").addEventListener("click", () => go(0));
  byId("back").addEventListener("click", () => go(ply - 1));
  byId("forward").addEventListener("click", () => go(ply + 1));
  byId("last").addEventListener("click", () => go(Infinity));
  byId("flip").addEventListener("click", () => {
    flipped = !flipped;
    go(ply);
  });
  byId("copy-fen").addEventListener("click", () => copy(fen(game.positions[ply]), "FEN"));
  byId("copy-pdn").addEventListener("click", () => copy(game.pdn, "PDN"));
  byId("save-pdn").addEventListener("click", save);
  byId("copy-link").addEventListener("click", () => copy(location.href, "Link"));
  byId("filter").hidden = false;
  for (const id of ["by-player", "by-result", "by-end"]) byId(id).addEventListener("input", filter);
  document.querySelectorAll("#games th").forEach((head, column) => {
    head.tabIndex = 0;
    head.addEventListener("click", () => sort(column));
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter") sort(column);
    });
  });
  filter();
  window.addEventListener("hashchange", follow);
  document.addEventListener("keydown", (event) => {
    if (["INPUT", "SELECT"].includes(event.target.tagName)) return;
    const steps = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity };
    if (!game || !(event.key in steps)) return;
    event.preventDefault();
    go(steps[event.key]);
  });
  follow();
})();
