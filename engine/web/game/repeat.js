// Mistakes are repeated after growing intervals: of everything that can be right or wrong and has a
// constant name, such as puzzles, lessons, "find the better move". Each kind has its own list, kept
// in the browser.

import { keep, kept } from "../base/kept.js";

/** Milliseconds until an exercise is repeated: first after a mistake, then after each right answer. */
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const INTERVALS = [10 * MINUTE, DAY, 3 * DAY, 7 * DAY, 21 * DAY, 60 * DAY];

/**
 * How well an exercise is known: the numbers of right and wrong answers and, while it is to be
 * repeated, the step in the intervals and when it is due, in milliseconds since 1970.
 * @typedef {{ right: number, wrong: number, step?: number, due?: number }} Standing
 */

export class Repetition {
  /**
   * @param {string} kind names the list.
   * @param {() => number} now the time.
   */
  constructor(kind, now = Date.now) {
    this.key = "repeat-" + kind;
    this.now = now;
    /** @type {Map<string, Standing>} */
    this.known = new Map();
    for (const [id, standing] of Object.entries(kept(this.key) ?? {})) {
      if (Number.isInteger(standing?.right) && Number.isInteger(standing?.wrong)) this.known.set(id, standing);
    }
  }

  /** Records a right answer: a repeated exercise is due later, and after the last interval no more. */
  right(id) {
    const { right, wrong, step } = this.of(id);
    const next = step === undefined ? INTERVALS.length : step + 1;
    const more = next < INTERVALS.length ? { step: next, due: this.now() + INTERVALS[next] } : {};
    this.keep(id, { right: right + 1, wrong, ...more });
  }

  /** Records a wrong answer: the exercise is due soon. */
  wrong(id) {
    const { right, wrong } = this.of(id);
    this.keep(id, { right, wrong: wrong + 1, step: 0, due: this.now() + INTERVALS[0] });
  }

  /** @returns {Standing} */
  of(id) {
    return this.known.get(id) ?? { right: 0, wrong: 0 };
  }

  /** Exercises to repeat now, the longest due first. */
  get due() {
    const now = this.now();
    const due = [...this.known].filter(([, standing]) => standing.due <= now);
    return due.sort(([, one], [, other]) => one.due - other.due).map(([id]) => id);
  }

  keep(id, standing) {
    this.known.set(id, standing);
    keep(this.key, Object.fromEntries(this.known));
  }
}
