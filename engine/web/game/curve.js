// The curve of the evaluation along a line of the game: White's share of the points as an area.

import { make, shape } from "../base/dom.js";
import { men, t } from "../base/texts.js";

/** Evaluations beyond this many men look the same in curves of both sides. */
const MOST = 5;
const [WIDTH, HEIGHT] = [300, 80];

/** The evaluation from White's side, within the range of the curve. */
export const whites = (info, side) => {
  const bound = Math.max(-100, Math.min(100, info.score));
  return side === "W" ? bound : -bound;
};

/** White's share of the points by a score. */
const shareOf = (score) => 1 / (1 + Math.exp(-score));

export class Curve {
  /**
   * @param {SVGSVGElement} svg with the view 0 0 300 80, alone in its frame.
   * @param {(node: import("./tree.js").Node) => void} go called with the clicked move.
   * @param {(ply: number) => string | undefined} grade of the move to a position: mistakes are marked.
   */
  constructor(svg, go, grade = () => undefined) {
    this.svg = svg;
    this.grade = grade;
    /** @type {import("./tree.js").Node[]} */
    this.line = [];
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      if (this.line.length > 0) go(this.line[Math.round(share * (this.line.length - 1))]);
    });
  }

  /** The number of positions whose score is known. */
  get known() {
    return this.line.filter(({ score }) => score != null).length;
  }

  /**
   * Shows the scores of the line through a node. Where each side has its own scores, as the engines of a
   * match do, each has its own curve.
   * @param {import("./tree.js").Node} node
   */
  draw(node, isOfSides = false) {
    this.line = node.line();
    const step = WIDTH / Math.max(this.line.length - 1, 1);
    const here = this.line.indexOf(node) * step;
    const parts = isOfSides ? ["W", "B"].flatMap((side) => this.course(side, step)) : this.area(step);
    this.svg.replaceChildren(
      shape("rect", { class: "bk", width: WIDTH, height: HEIGHT }),
      ...parts,
      shape("line", { class: "z", x1: 0, x2: WIDTH, y1: 40, y2: 40 }),
      shape("line", { class: "here", x1: here, x2: here, y1: 0, y2: HEIGHT }),
    );
    const frame = this.svg.parentNode;
    for (const mark of [...frame.children].slice(1)) mark.remove();
    const marks = isOfSides ? [] : this.line.flatMap((one, index) => {
      const look = { mistake: "q2", blunder: "q3" }[this.grade(index)];
      if (!look || one.score == null) return [];
      return [make("i", { class: look, style: `left:${(index * step) / 3}%;top:${100 - 100 * shareOf(one.score)}%` })];
    });
    frame.append(...marks);
    const text = node.score == null ? "–" : men(node.score);
    this.svg.setAttribute("aria-label", t("curve") + ": " + text);
  }

  /** White's part below the curve; what is not known yet is hatched. */
  area(step) {
    const points = this.line.flatMap(({ score }, index) => (score == null ? [] : [[index * step, HEIGHT * (1 - shareOf(score))]]));
    const gaps = this.line.flatMap(({ score }, index) =>
      (score == null ? [shape("rect", { class: "gap", x: Math.max(0, (index - 0.5) * step), y: 0, width: step, height: HEIGHT })] : []));
    if (points.length === 0) return gaps;
    const text = points.map(([x, y]) => `L${x.toFixed(2)} ${y.toFixed(2)}`).join("");
    return [shape("path", { class: "w", d: `M${points[0][0].toFixed(2)} ${HEIGHT}${text}L${points.at(-1)[0].toFixed(2)} ${HEIGHT}Z` }), ...gaps];
  }

  /** The scores that a side gave. */
  course(side, step) {
    const height = (score) => 40 - 38 * Math.max(-1, Math.min(1, score / MOST));
    const points = this.line.flatMap((one, index) =>
      one.score == null || one.parent?.position[0] !== side
        ? [] : (index * step).toFixed(1) + "," + height(one.score).toFixed(1));
    return [shape("polyline", { class: "course " + side, points: points.join(" ") })];
  }
}
