// Choices in a row: the buttons of a radiogroup, of which one is chosen. Such a group has a value and
// the event "change", like a field of a form.

const options = (group) => [.../** @type {NodeListOf<HTMLButtonElement>} */ (group.querySelectorAll("[role=radio]"))];

const choose = (group, value) => {
  const all = options(group);
  const chosen = all.find((option) => option.value === String(value));
  for (const option of all) {
    option.setAttribute("aria-checked", String(option === chosen));
    option.tabIndex = option === (chosen ?? all[0]) ? 0 : -1;
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
  for (const group of /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("[role=radiogroup]"))) {
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
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const all = options(group).filter((option) => !option.hidden);
      const here = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
      const next = all[(here + step + all.length) % all.length];
      take(group, next);
      next.focus();
      event.preventDefault();
      event.stopPropagation();
    });
  }
};
