// The curve of the evaluation along a line of the game, with White's side at the top.

import { men, t } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
/** Evaluations beyond this many men look the same in the curve. */
const MOST = 5;

/** The evaluation from White's side, within the range of the curve. */
export const whites = (info, side) => {
  const bound = Math.max(-100, Math.min(100, info.score));
  return side === "W" ? bound : -bound;
};

/** A part of a drawing, with its parts or its text. @param {(Node | string)[]} parts */
export const shape = (name, attributes, ...parts) => {
  const node = document.createElementNS(SVG, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  node.append(...parts);
  return node;
};

export class Curve {
  /**
   * @param {SVGSVGElement} svg with the view 0 0 300 80.
   * @param {(node: import("./tree.js").Node) => void} go called with the clicked move.
   */
  constructor(svg, go) {
    this.svg = svg;
    /** @type {import("./tree.js").Node[]} */
    this.line = [];
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      if (this.line.length > 0) go(this.line[Math.round(share * (this.line.length - 1))]);
    });
  }

  /**
   * Shows the scores of the line through a node. Where each side has its own scores, as the engines of a
   * match do, each has its own curve.
   * @param {import("./tree.js").Node} node
   */
  draw(node, isOfSides = false) {
    this.line = node.line();
    const step = 300 / Math.max(this.line.length - 1, 1);
    const height = (score) => 40 - 38 * Math.max(-1, Math.min(1, score / MOST));
    const here = this.line.indexOf(node) * step;
    const course = (side) => {
      const points = this.line.flatMap((one, index) =>
        one.score == null || (side && one.parent?.position[0] !== side)
          ? [] : (index * step).toFixed(1) + "," + height(one.score).toFixed(1));
      return [
        shape("polyline", { class: "course " + side, points: points.join(" ") }),
        ...points.map((point) => {
          const [cx, cy] = point.split(",");
          return shape("circle", { class: side, cx, cy, r: 1.6 });
        }),
      ];
    };
    this.svg.replaceChildren(
      shape("line", { class: "zero", x1: 0, x2: 300, y1: 40, y2: 40 }),
      shape("line", { class: "here", x1: here, x2: here, y1: 0, y2: 80 }),
      ...(isOfSides ? ["W", "B"] : [""]).flatMap(course),
    );
    const text = node.score == null ? "–" : men(node.score);
    this.svg.setAttribute("aria-label", t("curve") + ": " + text);
  }
}
