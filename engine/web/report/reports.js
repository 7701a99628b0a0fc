// The page of a match or of annotated games: one file, read from a disk, with its data.

import { annotationPage } from "./annotation-page.js";
import { make } from "../base/dom.js";
import { matchPage } from "./match-page.js";
import { add, LANGUAGES, t } from "../base/texts.js";

add(JSON.parse(document.getElementById("words").textContent));
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.querySelector("main");
/** @type {import("./reader.js").Reader | null} */
let reader = null;

/** Builds the page in a language. */
const build = (language) => {
  t.language = language;
  document.documentElement.lang = language;
  const choice = make("select", { class: "input", id: "language", change: () => build(choice.value) },
    ...Object.entries(LANGUAGES).map(([code, name]) => make("option", { value: code, lang: code, selected: code === language }, name)));
  const header = make("header", { class: "top" },
    make("h1", {}, data.title), make("label", {}, make("span", { class: "unseen" }, t("language")), choice));
  const page = { match: matchPage, annotation: annotationPage }[data.kind](data);
  ({ reader } = page);
  main.replaceChildren(header, ...page.parts);
};

build(document.documentElement.lang);
reader.follow();
addEventListener("hashchange", () => reader.follow());
document.addEventListener("keydown", (event) => {
  if (!/** @type {Element} */ (event.target).matches("input, select")) reader.key(event);
});
document.addEventListener("change", ({ target }) => {
  // The open game stays open.
  if (/** @type {Element} */ (target).id === "language") reader.follow(false);
});
