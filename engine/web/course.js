// The rounds and events of a tournament, on the page that follows it and on the one that stays.

import { make } from "./dom.js";
import { t } from "./texts.js";
import "./tournament-texts.js";

/** Who meets in a round, with results, and who is free: items of a list. */
export const meetings = (round) => {
  const game = ({ game, white, black, result, termination }) => {
    const played = result ? ` ${result} (${termination})` : "";
    return make("li", {}, (game ? `${game}. ` : "") + `${white} – ${black}${played}`);
  };
  const free = (player) => make("li", {}, t("live.free", { player }));
  return round ? [...round.games.map(game), ...round.free.map(free)] : [];
};

/** The events, the newest first: items of a list. */
export const events = (feed) => {
  const line = ({ at: seconds, kind, detail, ...rest }) => {
    const time = new Date(seconds * 1000).toLocaleTimeString(t.language);
    const values = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, value ?? ""]));
    const text = t("live.event." + kind, values) + (detail ? `: ${detail}` : "");
    return make("li", {}, make("time", { datetime: new Date(seconds * 1000).toISOString() }, time), " ", text);
  };
  return feed.map(line).reverse();
};
