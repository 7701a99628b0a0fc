// The reasons why a question has no answer.

import { has, t } from "../base/texts.js";

/** Temporary kinds: the same question can be asked again. */
const PASSING = ["connection", "busy", "too-many-requests", "timeout"];
/** Kinds that are the engine's fault: it may answer the next question. */
const FAULTS = ["internal", "worker"];
export class Problem extends Error {
  /** An error description of RFC 9457; the kind is the end of its `type`. */
  constructor({ title = "", detail = "", status = 0, type = "" }) {
    super(detail || title || String(status));
    this.name = type.split("#")[1] || "problem";
  }

  /** The engine does not answer. */
  static lost() {
    return new Problem({ type: "#connection" });
  }

  get passes() {
    return PASSING.includes(this.name);
  }

  get isFault() {
    return FAULTS.includes(this.name);
  }

  /** For people, in their language; the engine's own words are English. */
  get text() {
    return problemText(this);
  }
}

/** The text of an error for people. */
export const problemText = (error) => {
  const key = "problem." + error.name;
  if (PASSING.includes(error.name)) return t(key);
  if (has(key)) return t(key) + " (" + error.message + ")";
  return t("problem", { what: error.message });
};
