// Elements of the page. Text is always set as text, never read as HTML.

/**
 * The element of this id. A literal id must be in the page; a composed one is not
 * checked.
 * @template {string} K
 * @param {string extends K ? K : K extends keyof Elements ? K : never} id
 * @returns {K extends keyof Elements ? Elements[K] : any}
 */
export const find = (id) => /** @type {any} */ (document.getElementById(id));

/** All elements of a place, by default of the page. @param {ParentNode} place @returns {HTMLElement[]} */
export const all = (selector, place = document) => [...place.querySelectorAll(selector)];

/** Listens to an element of the page. @param {keyof Elements} id @param {(event: any) => unknown} action */
export const on = (id, event, action) => find(id).addEventListener(event, action);

/** Listens to clicks on a button. @param {keyof Elements} id @param {() => unknown} action */
export const onClick = (id, action) => on(id, "click", () => action());

/**
 * Listens to clicks within an element: on its parts of a kind, or on what is in them.
 * @param {keyof Elements} id
 * @param {(part: any, target: Element) => unknown} action
 */
export const onPart = (id, selector, action) =>
  on(id, "click", ({ target }) => {
    const part = target.closest(selector);
    if (part) action(part, target);
  });

/** The element of a list to which a key leads from the one with the focus, if it is such a key. */
export const nextByKey = (list, event) => {
  const here = list.indexOf(document.activeElement);
  const place = { ArrowRight: here + 1, ArrowDown: here + 1, ArrowLeft: here - 1, ArrowUp: here - 1, Home: 0, End: -1 }[event.key];
  if (place === undefined || list.length === 0) return null;
  event.preventDefault();
  event.stopPropagation();
  return list.at(place % list.length);
};

/**
 * A new element with attributes (functions become listeners) and children or texts.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, unknown>} [attributes]
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, /** @type {EventListener} */ (value));
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, String(value));
  }
  node.append(...children);
  return node;
};

/** A part of a drawing, with its parts or its text. @param {(Node | string)[]} parts */
export const shape = (name, attributes, ...parts) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  node.append(...parts);
  return node;
};

/** An icon of icons.svg. */
export const icon = (name) =>
  shape("svg", { class: "ico", "aria-hidden": "true" }, shape("use", { href: "#i-" + name }));

/** A button that is an icon, with its name. @param {Record<string, unknown>} more */
export const iconButton = (name, label, more = {}) =>
  make("button", { type: "button", class: "ib", "aria-label": label, title: label, ...more }, icon(name));

/** Puts the icons into all elements that name one. */
export const drawIcons = () => {
  for (const node of all("[data-icon]")) node.prepend(icon(node.dataset.icon));
};

/** The signs of verdicts. */
const VERDICTS = { on: "hint", win: "check", loss: "close" };
/** Shows a verdict and its sign in a frame whose last part is the text. */
export const showVerdict = (frame, text, look = "") => {
  frame.className = ("tip " + look).trim();
  frame.querySelector("svg")?.remove();
  if (look) frame.prepend(icon(VERDICTS[look]));
  frame.lastElementChild.textContent = text;
};

/** Gives the user a file to save. */
export const save = (name, media, text) => {
  const url = URL.createObjectURL(new Blob([text], { type: media }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
