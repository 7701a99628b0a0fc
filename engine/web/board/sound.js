// Synthesised sounds: wood on wood for a move, twice for a capture, three tones for an end.

import { settings } from "../views/settings.js";

/** @type {AudioContext | null} */
let context = null;

/** The context for sounds, once the user has touched the page: browsers allow no sound before. */
const open = () => {
  if (!settings.sounds || !navigator.userActivation?.hasBeenActive) return null;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  return context;
};

/** A short noise that dies away, as of a piece put on a board, this many seconds from now. */
const knock = (audio, after, pitch) => {
  const length = Math.floor(0.06 * audio.sampleRate);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const data = buffer.getChannelData(0);
  for (let at = 0; at < length; at++) data[at] = (2 * Math.random() - 1) * (1 - at / length) ** 6;
  const source = new AudioBufferSourceNode(audio, { buffer });
  const wood = new BiquadFilterNode(audio, { type: "bandpass", frequency: pitch, Q: 1.2 });
  const volume = new GainNode(audio, { gain: 0.9 });
  source.connect(wood).connect(volume).connect(audio.destination);
  source.start(audio.currentTime + after);
};

const tone = (audio, after, pitch, length) => {
  const begin = audio.currentTime + after;
  const source = new OscillatorNode(audio, { type: "triangle", frequency: pitch });
  const volume = new GainNode(audio, { gain: 0 });
  volume.gain.setValueAtTime(0.2, begin);
  volume.gain.exponentialRampToValueAtTime(0.001, begin + length);
  source.connect(volume).connect(audio.destination);
  source.start(begin);
  source.stop(begin + length);
};

const SOUNDS = {
  move: (audio) => knock(audio, 0, 900),
  capture: (audio) => [0, 0.09].forEach((after) => knock(audio, after, 1300)),
  end: (audio) => [523, 659, 784].forEach((pitch, index) => tone(audio, 0.12 * index, pitch, 0.5)),
  low: (audio) => tone(audio, 0, 880, 0.15),
};

/** @param {"move" | "capture" | "end" | "low"} name */
export const sound = (name) => {
  const audio = open();
  if (!audio) return;
  SOUNDS[name](audio);
  // For the tests: the last sound.
  document.body.dataset.sound = name;
};
