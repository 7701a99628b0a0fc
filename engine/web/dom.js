// Elements of the page. Text is always set as text, never read as HTML.

/** The element of this id. */
export const find = (id) => document.getElementById(id);

/** A new element with attributes (functions become listeners) and children or texts. */
export const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
};

/** Gives the user a file to save. */
export const save = (name, media, text) => {
  const url = URL.createObjectURL(new Blob([text], { type: media }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
