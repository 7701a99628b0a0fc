// Menus and small dialogs that belong to a button: popovers beside it, on phones sheets from below.
// The browser closes them on Escape or a click beside them, and puts the focus back.

import { all, find, nextByKey } from "./dom.js";

const GAP = 6;

/** The button that opens a popover, where it is seen. */
const openerOf = (pop) => all(`[popovertarget="${pop.id}"]`).find((button) => button.checkVisibility());

/** Puts a popover beside a box: below it, or above it where there is more room. */
const place = (pop, { left, right, top, bottom }) => {
  const isBelow = innerHeight - bottom > top;
  const isRight = left + right > innerWidth;
  Object.assign(pop.style, {
    top: isBelow ? bottom + GAP + "px" : "auto", bottom: isBelow ? "auto" : innerHeight - top + GAP + "px",
    left: isRight ? "auto" : left + "px", right: isRight ? innerWidth - right + "px" : "auto",
    maxHeight: (isBelow ? innerHeight - bottom : top) - 2 * GAP + "px",
  });
};

/** Opens a popover beside a box, or beside its button or the title of the panel. */
export const openPop = (pop, box = (openerOf(pop) ?? find("title")).getBoundingClientRect()) => {
  pop.place = box;
  if (pop.matches(":popover-open")) place(pop, box);
  else pop.showPopover();
};

const entries = (menu) => all("[role^=menuitem]:not(:disabled)", menu).filter((one) => one.checkVisibility());

export const connectPops = () => {
  for (const pop of all("[popover].pop")) {
    const isMenu = pop.getAttribute("role") === "menu";
    pop.addEventListener("beforetoggle", (event) => {
      const isOpening = /** @type {ToggleEvent} */ (event).newState === "open";
      const opener = openerOf(pop);
      opener?.setAttribute("aria-expanded", String(isOpening));
      if (!isOpening) return;
      const box = /** @type {any} */ (pop).place ?? opener?.getBoundingClientRect();
      /** @type {any} */ (pop).place = null;
      if (box) place(pop, box);
    });
    pop.addEventListener("toggle", (event) => {
      if (/** @type {ToggleEvent} */ (event).newState === "open" && isMenu) entries(pop)[0]?.focus();
    });
    if (!isMenu) continue;
    pop.addEventListener("click", ({ target }) => {
      if (/** @type {HTMLElement} */ (target).closest("[role^=menuitem]")) pop.hidePopover();
    });
    pop.addEventListener("keydown", (event) => nextByKey(entries(pop), event)?.focus());
  }
  // A click beside a dialog closes it, as one on its cross does.
  for (const dialog of /** @type {HTMLDialogElement[]} */ (all("dialog"))) {
    dialog.addEventListener("click", ({ target }) => {
      if (target === dialog || /** @type {HTMLElement} */ (target).closest("[data-close]")) dialog.close();
    });
  }
};
