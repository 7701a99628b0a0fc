// Elements of the page. Text is always set as text, never read as HTML.

/**
 * The element of this id. A literal id must be in the page; a composed one is not
 * checked.
 * @template {string} K
 * @param {string extends K ? K : K extends keyof Elements ? K : never} id
 * @returns {K extends keyof Elements ? Elements[K] : any}
 */
export const find = (id) => /** @type {any} */ (document.getElementById(id));

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
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-icon]"))) {
    node.prepend(icon(node.dataset.icon));
  }
};

/** Gives the user a file to save. */
export const save = (name, media, text) => {
  const url = URL.createObjectURL(new Blob([text], { type: media }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
