// The rounds and events of a tournament, on its live page and on the copy that stays.

import { make } from "../base/dom.js";
import { t } from "../base/texts.js";

/** The pairings of a round, with results and free players: items of a list. */
export const meetings = (round) => {
  const game = ({ game, white, black, result, termination }) => {
    const played = result ? ` ${result} (${termination})` : "";
    return make("li", {}, (game ? `${game}. ` : "") + `${white} – ${black}${played}`);
  };
  const free = (player) => make("li", {}, t("live.free", { player }));
  return round ? [...round.games.map(game), ...round.free.map(free)] : [];
};

/** The events, newest first: items of a list. */
export const events = (feed) => {
  const line = ({ at: seconds, kind, detail, ...rest }) => {
    const time = new Date(seconds * 1000).toLocaleTimeString(t.language);
    const values = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, value ?? ""]));
    const text = t("live.event." + kind, values) + (detail ? `: ${detail}` : "");
    return make("li", {}, make("time", { datetime: new Date(seconds * 1000).toISOString() }, time), " ", text);
  };
  return feed.map(line).reverse();
};
