// The address of the page, for sharing: #fen=...&moves=...&ply=...&side=...&view=... puts a
// position with its moves on the desk, ?pdn=URL the games of a file of the same origin.

import { fen } from "../board/board.js";
import { initialOf } from "./desk.js";
import { find, on, onClick } from "../base/dom.js";
import { problemText } from "../engine/problem.js";
import { bytesOf, load } from "../engine/program.js";
import { t } from "../base/texts.js";
import { Part } from "./part.js";
import { Game } from "./tree.js";

/** The names of this machine, which others cannot open. */
const OWN = /^(localhost|127\..*|\[::1\])$/;
/** The characters of a FEN; others would end the tag that contains it. */
const FEN = /^[\w:,.\- ]*$/;
const MOVES = /^[\dx\- :]*$/;

export class Share extends Part {
  /**
   * @param {import("./files.js").Files} files
   * @param {() => string} view the name of the view.
   */
  constructor(desk, page, files, view) {
    super(desk, page);
    this.files = files;
    this.view = view;
    onClick("copy-link", async () => {
      const { link } = this;
      await files.copy(link);
      if (!this.address) this.say(t("copied", { text: link }) + ". " + t("linkHereOnly"));
    });
    on("share-pop", "toggle", () => this.drawCode());
    addEventListener("hashchange", () => this.open());
  }

  /** The address of the page for others; null if they have none. */
  get address() {
    const { hostname, origin, pathname } = location;
    return OWN.test(hostname) ? this.desk.engine.about.address : origin + pathname;
  }

  /** The code of the link, for a phone. */
  async drawCode() {
    const image = /** @type {HTMLImageElement} */ (find("share-code"));
    image.hidden = true;
    find("share-here").hidden = Boolean(this.address);
    if (!this.address || !find("share-pop").matches(":popover-open")) return;
    // A long game may not fit into a code.
    const code = await this.desk.engine.ask("code.svg", { text: this.link }).catch(() => null);
    if (!code) return;
    image.src = "data:image/svg+xml," + encodeURIComponent(code);
    image.hidden = false;
  }

  /** The address of the board as it is, for others if they can open it. */
  get link() {
    const { node, game } = this.desk;
    const line = node.line();
    const query = new URLSearchParams();
    if (game.variant) query.set("variant", game.variant);
    if (game.root.position !== initialOf(game.variant)) query.set("fen", fen(game.root.position));
    if (line.length > 1) {
      query.set("moves", line.slice(1).map(({ text }) => text).join(","));
      query.set("ply", String(line.indexOf(node)));
    }
    if (this.page.flipped()) query.set("side", "B");
    query.set("view", this.view());
    // Characters that need no escape stay readable.
    return (this.address ?? location.origin + location.pathname) + "#" + String(query).replaceAll("%3A", ":").replaceAll("%2C", ",");
  }

  /** Opens the contents of the address; returns whether there were any. */
  async open() {
    const query = new URLSearchParams(location.hash.slice(1));
    const file = new URLSearchParams(location.search).get("pdn");
    const isLink = ["fen", "moves", "variant", "view", "side"].some((name) => query.has(name));
    if (!isLink && file === null) return false;
    // From now on the desk is used: reloading the page keeps it.
    history.replaceState(null, "", location.pathname);
    try {
      if (file !== null) await this.fetch(file);
      else if (["fen", "moves", "variant"].some((name) => query.has(name))) await this.setUp(query);
    } catch (error) {
      this.say(t("badLink") + " (" + problemText(error) + ")");
      return false;
    }
    const ply = query.get("ply");
    if (ply !== null) this.desk.go(this.desk.game.root.line()[Math.max(0, Number(ply) || 0)] ?? this.desk.game.root.line().at(-1));
    if (query.has("side")) this.page.face(query.get("side"));
    if (query.has("view")) this.page.open(query.get("view"));
    return true;
  }

  async fetch(file) {
    const url = new URL(file, location.href);
    if (url.origin !== location.origin) throw new Error(t("otherOrigin"));
    await this.files.read(await load(url.href, bytesOf));
  }

  async setUp(query) {
    const start = query.get("fen") ?? "";
    const moves = (query.get("moves") ?? "").replaceAll(",", " ");
    const variant = query.get("variant") ?? "";
    if (!FEN.test(start) || !MOVES.test(moves) || !/^[a-z]*$/.test(variant)) throw new Error(t("badFen"));
    const tag = (variant && `[Variant "${variant}"]\n`) + (start && `[FEN "${start}"]\n`);
    const { games: [record], warnings } = await this.desk.engine.ask("games", { positions: false }, { body: tag + moves + " *" });
    if (!record || record.truncated) throw new Error([record?.truncated, ...warnings].filter(Boolean).join("; "));
    const game = Game.read(record);
    // The tag only carried the position.
    for (const name of ["FEN", "SetUp", "Variant"]) game.tags.delete(name);
    this.desk.open([game]);
    this.desk.go(game.root.line().at(-1));
  }
}
