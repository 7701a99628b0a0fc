// What the browser keeps for later visits, by key. Without storage the page forgets it.

/** What is kept; null if there is nothing, or nothing that can be read. @returns {any} */
export const kept = (key) => {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
};

export const keep = (key, value) => {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Also where the storage is full.
  }
};
