// The clocks of a game against the engine.

import { find } from "../base/dom.js";
import { sound } from "../board/sound.js";
import { clockText, t } from "../base/texts.js";

/** Milliseconds between two updates of the clock, and before the end when it warns. */
const [LOOK, LOW] = [100, 20_000];
/** Below this it shows tenths. */
const TENTHS = 10_000;
/** The times at which it is read out, in seconds. */
const SAID = [60, 10];

/** Minutes and seconds, at last with tenths; rounded down. */
const timeText = (milliseconds) => {
  const left = Math.max(0, milliseconds);
  return clockText(left / 1000) + (left < TENTHS ? "." + Math.floor((left % 1000) / 100) : "");
};

/** The times of both sides; null without clocks.
 * @typedef {{ W: number, B: number, increment: number, isPaused: boolean } | null} Times */

/** Clocks for a choice such as "5+3", minutes and seconds for each move; null for none. */
export const clocks = (choice) => {
  const [, minutes, increment] = choice.match(/^(\d+)\+(\d+)$/) ?? [];
  if (minutes === undefined) return null;
  const time = 60_000 * Number(minutes);
  return { W: time, B: time, increment: 1000 * Number(increment), isPaused: false };
};

export class Clock {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {{ runs: () => string | null, flipped: () => boolean, fell: (side: string) => void, last: () => Times }} game
   *   runs: the side whose clock runs, if any; fell: called when the time of a side is up; last: the times at the
   *   end of a game that is still shown.
   */
  constructor(desk, { runs, flipped, fell, last }) {
    this.desk = desk;
    this.runs = runs;
    this.flipped = flipped;
    this.fell = fell;
    this.lastTimes = last;
    this.last = performance.now();
    setInterval(() => this.look(), LOOK);
  }

  get state() {
    return this.desk.task("play")?.clock ?? null;
  }

  /** Subtracts the elapsed time from the side whose clock runs. */
  look() {
    const now = performance.now();
    const passed = now - this.last;
    this.last = now;
    const { state } = this;
    const side = this.runs();
    if (state && side && !state.isPaused) {
      const before = state[side];
      state[side] = Math.max(0, before - passed);
      if (before >= LOW && state[side] < LOW) sound("low");
      // So that a reloaded page continues from here.
      if (Math.ceil(before / 1000) !== Math.ceil(state[side] / 1000)) this.desk.edition++;
      if (state[side] === 0) this.fell(side);
    }
    this.draw();
  }

  /** The side has moved. */
  press(side) {
    const { state } = this;
    if (state) state[side] += state.increment;
    this.draw();
  }

  /** Seconds that the engine may use for a move. */
  share(side) {
    const { state } = this;
    return Math.max(0.05, (state[side] / 30 + 0.7 * state.increment) / 1000);
  }

  draw() {
    const state = this.state ?? this.lastTimes();
    for (const [id, isNear] of /** @type {[string, boolean][]} */ ([["clock-far", false], ["clock-near", true]])) {
      const clock = find(/** @type {"clock-far"} */ (id));
      clock.hidden = !state;
      if (!state) continue;
      const side = isNear === this.flipped() ? "B" : "W";
      const text = timeText(state[side]);
      if (clock.textContent !== text) clock.textContent = text;
      // A timer is silent but for a few moments.
      const isSaid = SAID.includes(Math.ceil(state[side] / 1000));
      clock.setAttribute("aria-live", isSaid ? "polite" : "off");
      clock.setAttribute("aria-label", t("clockOf", { side: t("side." + side), time: text }));
      clock.classList.toggle("runs", this.runs() === side && !state.isPaused);
      clock.classList.toggle("low", state[side] < LOW);
    }
  }
}
