"use strict";
(() => {
  const games = JSON.parse(document.getElementById("data").textContent);
  const rows = [...document.querySelectorAll("#games tr[data-game]")];
  const byId = (id) => document.getElementById(id);
  const board = byId("board");
  let game = null; // positions, moves, infos, names
  let ply = 0;
  let flipped = false;

  // The position after a move in Hub notation: from, to and all captured squares.
  const after = (position, move) => {
    const squares = [...position];
    const [from, to, ...captured] = move.split(/[-x]/).map(Number);
    let piece = squares[from];
    squares[from] = "e";
    for (const square of captured) squares[square] = "e";
    if (piece === "w" && to <= 5) piece = "W";
    if (piece === "b" && to > 45) piece = "B";
    squares[to] = piece;
    squares[0] = squares[0] === "W" ? "B" : "W";
    return squares.join("");
  };

  // Left upper corner of a square in a board of 100 by 100.
  const corner = (square) => {
    const row = Math.floor((square - 1) / 5);
    const column = ((square - 1) % 5) * 2 + (row % 2 === 0 ? 1 : 0);
    return flipped ? [90 - 10 * column, 90 - 10 * row] : [10 * column, 10 * row];
  };

  const element = (name, attributes, text) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    return node;
  };

  const draw = () => {
    const position = game.positions[ply];
    const move = ply > 0 ? game.moves[ply - 1].split(/[-x]/).map(Number) : [];
    board.replaceChildren(element("rect", { class: "light", width: 100, height: 100 }));
    for (let square = 1; square <= 50; square++) {
      const [x, y] = corner(square);
      const mark = square === move[1] ? "to" : square === move[0] ? "from" : "dark";
      board.append(element("rect", { class: mark, x, y, width: 10, height: 10 }));
      board.append(element("text", { x: x + 0.4, y: y + 2.3 }, square));
      const piece = position[square];
      if (piece === "e") continue;
      const color = piece === "w" || piece === "W" ? "white" : "black";
      board.append(element("circle", { class: color, cx: x + 5, cy: y + 5, r: 4 }));
      if (piece === "W" || piece === "B") {
        board.append(element("circle", { class: "crown", cx: x + 5, cy: y + 5, r: 2.2 }));
      }
    }
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
    parts.push(time.toFixed(3) + " s");
    if (clock !== null) parts.push("clock " + clock.toFixed(1) + " s");
    return parts.join(", ");
  };

  const go = (to) => {
    if (!game) return;
    ply = Math.max(0, Math.min(game.moves.length, to));
    draw();
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
      const [from, to] = move.split(/[-x]/);
      span.textContent = from + (move.includes("x") ? "x" : "-") + to;
      span.addEventListener("click", () => go(index + 1));
      item.append(span);
    });
    moves.replaceChildren(...items);
  };

  const show = (index) => {
    const { p, m, i } = games[index];
    const positions = [p];
    for (const move of m) positions.push(after(positions[positions.length - 1], move));
    game = { positions, moves: m, infos: i };
    rows.forEach((row) => row.classList.toggle("shown", Number(row.dataset.game) === index));
    const cells = [...rows[index].cells].map((cell) => cell.textContent);
    byId("players").textContent =
      "Game " + cells[0] + ": " + cells[1] + " – " + cells[2] + "  " + cells[3] + " (" + cells[7] + ")";
    byId("viewer").hidden = false;
    list();
    go(0);
    if (byId("viewer").scrollIntoView) byId("viewer").scrollIntoView();
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
  document.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity };
    if (!game || !(event.key in steps)) return;
    event.preventDefault();
    go(steps[event.key]);
  });
})();
