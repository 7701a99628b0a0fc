// The browser's own database: the archive of earlier games, newest first, and the files that were added to
// the user's games where no server keeps them.

const [NAME, VERSION, DESKS, FILES] = ["meerslag", 2, "desks", "files"];
/** The most desks that are kept; the oldest are forgotten. */
const MOST = 100;

/**
 * The contents of the desk at one time; `kept` is the JSON text of its games.
 * A game against the engine has the strength of the engine in words, the user's side, and whether it goes on.
 * @typedef {{ id: string, when: number, title: string, count: number, plies: number, kept: string, result?: string,
 *   level?: string, side?: string, isRunning?: boolean }} Kept
 */

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

export class Archive {
  /** The archive of this browser; null where it has none, as in some private windows. */
  static async open() {
    try {
      const request = indexedDB.open(NAME, VERSION);
      request.onupgradeneeded = ({ oldVersion }) => {
        const { result } = request;
        if (oldVersion < 1) result.createObjectStore(DESKS, { keyPath: "id" }).createIndex("when", "when");
        result.createObjectStore(FILES, { autoIncrement: true });
      };
      return new Archive(await done(request));
    } catch {
      return null;
    }
  }

  /** @param {IDBDatabase} database */
  constructor(database) {
    this.database = database;
    // A newer page in another tab must be able to open it.
    database.onversionchange = () => database.close();
  }

  store(mode = /** @type {IDBTransactionMode} */ ("readonly"), name = DESKS) {
    return this.database.transaction(name, mode).objectStore(name);
  }

  /** The files of the user's games. @returns {Promise<(string | Uint8Array<ArrayBuffer>)[]>} */
  files() {
    return done(this.store("readonly", FILES).getAll());
  }

  /** @param {string | Uint8Array<ArrayBuffer>} file */
  addFile(file) {
    return done(this.store("readwrite", FILES).add(file));
  }

  forgetFiles() {
    return done(this.store("readwrite", FILES).clear());
  }

  /** @param {Kept} desk */
  async put(desk) {
    const store = this.store("readwrite");
    store.put(desk);
    const keys = await done(store.index("when").getAllKeys());
    for (const key of keys.slice(0, Math.max(0, keys.length - MOST))) store.delete(key);
    await new Promise((resolve, reject) => {
      store.transaction.oncomplete = resolve;
      store.transaction.onabort = () => reject(store.transaction.error);
    });
  }

  /** @returns {Promise<Kept | undefined>} */
  get(id) {
    return done(this.store().get(id));
  }

  /** All of them, newest first. @returns {Promise<Kept[]>} */
  async all() {
    return (await done(this.store().index("when").getAll())).reverse();
  }

  delete(id) {
    return done(this.store("readwrite").delete(id));
  }
}
