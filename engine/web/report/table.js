// Tables of reports.

import { make } from "../base/dom.js";
import { t } from "../base/texts.js";

/** Columns of numbers and of texts. */
export const number = (key) => ({ name: t(key) });
export const text = (key) => ({ name: t(key), isText: true });

/**
 * A table with its heading, which scrolls sideways where the page is narrow.
 * @param {string} id
 * @param {string} title its name for screen readers.
 * @param {{ name: string, isText?: boolean }[]} columns
 * @param {(string | Node)[][]} rows
 */
export const table = (id, title, columns, rows) => {
  const look = ({ isText = false }) => (isText ? "name" : "r");
  const cell = (content, column) => make("td", { class: look(columns[column]) }, content);
  return make("div", { class: "card wide", role: "region", "aria-label": title, tabindex: "0" },
    make("table", { id: id || false },
      make("thead", {}, make("tr", {},
        ...columns.map((column) => make("th", { scope: "col", class: look(column) }, column.name)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell))))));
};
