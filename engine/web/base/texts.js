// The texts of all pages in the user's language; their files are in `texts`, one for each language.

export const LANGUAGES = { en: "English", nl: "Nederlands", fr: "Français", ru: "Русский", de: "Deutsch", pl: "Polski", es: "Español", pt: "Português" };

/** The texts of the languages that are loaded, by key. @type {Record<string, Record<string, string>>} */
const texts = {};

/** The names of plural forms, in the order of the texts. */
const FORMS = ["one", "few", "many"];

/**
 * The text of this key in the user's language, with values for the names in braces. A noun with a
 * number lists its forms: {plies|ply|plies}, the last one for all other numbers.
 */
export const t = (key, values = {}) => {
  const text = texts[t.language][key];
  return text.replace(/\{(\w+)((?:\|[^|}]+)*)\}/g, (_, name, rest) => {
    if (!rest) return values[name];
    const forms = rest.slice(1).split("|");
    const place = FORMS.indexOf(new Intl.PluralRules(t.language).select(values[name]));
    return forms[place] ?? forms.at(-1);
  });
};

/** The current language. */
t.language = "";

/** The texts that comments of the engine are made of. */
const OF_COMMENTS = /^(was|value|grade)\.|^(databasesSay|bestValue|plies|conversionIn|gaveAway|betterMove)$/;

/** The user's language with the texts of comments, for the engine. */
export const words = () => {
  const entries = Object.entries(texts[t.language]).filter(([key]) => OF_COMMENTS.test(key));
  return { language: t.language, texts: Object.fromEntries(entries) };
};

/** Adds the texts of languages. @param {typeof texts} more */
export const add = (more) => Object.assign(texts, more);

/** Whether the texts of this language are here. */
export const isLoaded = (code) => code in texts;

/** Whether there is a text of this key. */
export const has = (key) => key in texts[t.language];

/** Seconds as on a clock: 5:03, or 1:05:03 from an hour on. */
export const clockText = (seconds) => {
  const [whole, hours] = [Math.floor(seconds), Math.floor(seconds / 3600)];
  const minutes = String(Math.floor(whole / 60) % 60);
  return (hours ? hours + ":" + minutes.padStart(2, "0") : minutes) + ":" + String(whole % 60).padStart(2, "0");
};

/** A score in men, with its sign; one that rounds to zero has none. */
export const men = (score) => {
  const text = score.toFixed(2);
  return Number(text) === 0 ? "0.00" : (score > 0 ? "+" : "") + text;
};
