// Choices in a row: the buttons of a radiogroup, of which one is chosen. Such a group has a value and
// the event "change", like a field of a form.

import { all, nextByKey } from "./dom.js";

const options = (group) => /** @type {HTMLButtonElement[]} */ (all("[role=radio]", group));

const choose = (group, value) => {
  const list = options(group);
  const chosen = list.find((option) => option.value === String(value));
  for (const option of list) {
    option.setAttribute("aria-checked", String(option === chosen));
    option.tabIndex = option === (chosen ?? list[0]) ? 0 : -1;
  }
};

/** The user takes an option. */
const take = (group, option) => {
  if (option.getAttribute("aria-checked") === "true") return;
  choose(group, option.value);
  group.dispatchEvent(new Event("change", { bubbles: true }));
};

/** Makes the groups of the page work. @param {ParentNode} [place] */
export const connectChoices = (place = document) => {
  for (const group of all("[role=radiogroup]", place)) {
    Object.defineProperty(group, "value", {
      get: () => options(group).find((option) => option.getAttribute("aria-checked") === "true")?.value ?? "",
      set: (value) => choose(group, value),
    });
    choose(group, group.dataset.value ?? "");
    group.addEventListener("click", ({ target }) => {
      const option = /** @type {HTMLElement} */ (target).closest("[role=radio]");
      if (option) take(group, option);
    });
    group.addEventListener("keydown", (event) => {
      const next = nextByKey(options(group).filter((option) => !option.hidden), event);
      if (!next) return;
      take(group, next);
      next.focus();
    });
  }
};
