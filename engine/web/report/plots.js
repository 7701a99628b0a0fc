// Plots on the pages of matches.

import { make, shape } from "../base/dom.js";

const [WIDTH, HEIGHT] = [900, 300];
/** Room for the labels. */
const [LEFT, BOTTOM, TOP] = [60, 30, 10];
/** More points than this cannot be distinguished. */
const MAX_POINTS = 450;
/** Early estimates may be anything; the plot does not follow them beyond this. */
const MAX_ELO = 800;

/** A step of 1, 2 or 5 times a power of ten, so that about eight cover the range. */
const niceStep = (range) => {
  const power = 10 ** Math.floor(Math.log10(range / 8));
  return power * ([1, 2, 5].find((factor) => range / 8 / power <= factor) ?? 10);
};

const frame = (id, title, shapes) =>
  make("div", { id }, shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, shape("title", {}, title), ...shapes));

const label = (kind, x, y, text) => shape("text", { class: kind, x: x.toFixed(1), y: y.toFixed(1) }, text);

/** Elo and the ends of its interval after each game, or null where there is none. @typedef {([number, number, number] | null)[]} Course */

/** The stretches between the gaps, thinned out; the last point always belongs to its stretch. @param {Course} course */
const stretches = (course) => {
  /** @type {[number, [number, number, number]][][]} */
  const all = [[]];
  for (const [index, elo] of course.entries()) {
    if (elo) all[all.length - 1].push([index + 1, elo]);
    else all.push([]);
  }
  const stride = Math.max(1, Math.ceil(course.length / MAX_POINTS));
  return all.filter((part) => part.length > 0)
    .map((part) => part.filter((_, index) => (part.length - 1 - index) % stride === 0));
};

/** Elo over games; null if there is nothing to see. @param {{ look: string, course: Course }[]} engines */
export const eloPlot = (engines, title) => {
  const games = engines.reduce((most, { course }) => Math.max(most, course.length), 1);
  // The first intervals are wide and are cut off.
  const settled = engines.flatMap(({ course }) => course.filter((elo, index) => elo && 4 * (index + 1) >= games));
  const parts = engines.flatMap(({ look, course }) => stretches(course).map((points) => ({ look, points })));
  if (parts.length === 0) return null;
  const lowest = settled.reduce((least, elo) => Math.min(least, elo?.[1] ?? 0), 0);
  const highest = settled.reduce((most, elo) => Math.max(most, elo?.[2] ?? 0), 0);
  const [least, most] = [Math.max(lowest, -MAX_ELO), Math.min(highest, MAX_ELO)];
  const step = niceStep(Math.max(1, most - least));
  const [low, high] = [Math.floor(least / step) * step, Math.max(1, Math.ceil(most / step)) * step];
  const x = (n) => LEFT + (WIDTH - LEFT - 10) * n / games;
  const y = (elo) => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (Math.max(low, Math.min(high, elo)) - low) / (high - low);
  const shapes = [];
  for (let tick = low; tick <= high + step / 2; tick += step) {
    const [at, isZero] = [y(tick).toFixed(1), Math.abs(tick) < step / 2];
    shapes.push(
      shape("line", { class: isZero ? "zero" : "grid", x1: LEFT, x2: WIDTH - 10, y1: at, y2: at }),
      label("y", LEFT - 6, y(tick) + 4, isZero ? "+0" : (tick < 0 ? "" : "+") + tick.toFixed(0)));
  }
  const gap = Math.max(1, niceStep(games));
  for (let tick = gap; tick <= games; tick += gap) shapes.push(label("x", x(tick), HEIGHT - 10, tick.toFixed(0)));
  for (const { look, points } of parts) {
    const path = (which) => points.map(([n, elo]) => `${x(n).toFixed(1)},${y(elo[which]).toFixed(1)}`);
    shapes.push(
      shape("polygon", { class: "band " + look, points: [...path(2), ...path(1).reverse()].join(" ") }),
      shape("polyline", { class: "line " + look, points: path(0).join(" ") }));
  }
  return frame("elo", title, shapes);
};

/** How many games had which length in moves; null without games. @param {number[]} lengths */
export const lengthPlot = (lengths, title) => {
  if (lengths.length === 0) return null;
  const longest = Math.max(1, lengths.reduce((most, length) => Math.max(most, length)));
  const width = Math.max(1, Math.floor(niceStep(longest) / 2));
  const bins = Array(Math.floor(longest / width) + 1).fill(0);
  for (const length of lengths) bins[Math.floor(length / width)] += 1;
  const [most, bar] = [Math.max(...bins), (WIDTH - LEFT - 10) / bins.length];
  return frame("lengths", title, bins.flatMap((count, index) => {
    const height = (HEIGHT - BOTTOM - TOP - 12) * count / most;
    const [left, top] = [LEFT + bar * index, HEIGHT - BOTTOM - height];
    const size = { width: Math.max(1, bar - 2).toFixed(1), height: height.toFixed(1) };
    return [
      shape("rect", { class: "bar", x: (left + 1).toFixed(1), y: top.toFixed(1), ...size }),
      label("x", left + bar / 2, HEIGHT - 10, String(index * width)),
      ...(count ? [label("x", left + bar / 2, top - 3, String(count))] : []),
    ];
  }));
};
