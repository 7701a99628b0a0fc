// Keeps the site in the browser, so that it works without a network after one visit. A service worker:
// it runs apart from the page and answers its requests. Different contents of the site are a different
// VERSION, which is fetched beside the old one and replaces it when the page is next loaded.
//
// `meerslag serve --export` fills in the three constants.

/** The checksum of the site's contents. */
const VERSION = "";
/** Fetched at once; "./" is the page. */
const FILES = [];
/** Files stored when first used, each with the checksum of its contents; of large ones the parts that were used. */
const LATER = {};

const worker = /** @type {any} */ (self);
/** Sites beside this one have their own caches. */
const mine = "meerslag " + worker.registration.scope + " ";
const site = mine + VERSION;
/** The cache of a file that outlives versions; undefined for other files. */
const later = (name) => (name in LATER ? mine + name + " " + LATER[name] : undefined);

const fill = async () => {
  const cache = await caches.open(site);
  // Files that the page has just fetched are only revalidated.
  await cache.addAll(FILES.map((name) => new Request(name, { cache: "no-cache" })));
};

const takeOver = async () => {
  const wanted = [site, ...Object.keys(LATER).map(later)];
  const old = (await caches.keys()).filter((name) => name.startsWith(mine) && !wanted.includes(name));
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
};

/** A part of a file. A cache keeps whole answers alone, so the part has its own address. */
const answerPart = async (request, cache, part) => {
  const address = request.url + "?" + part;
  const kept = await cache.match(address);
  if (kept) return new Response(kept.body, { status: 206 });
  const response = await fetch(request);
  if (response.status === 206) {
    await cache.put(address, new Response(response.clone().body, { headers: response.headers }));
  }
  return response;
};

const answer = async (request) => {
  const name = request.url.slice(worker.registration.scope.length);
  const place = later(name) ?? site;
  const cache = await caches.open(place);
  const part = request.headers.get("Range");
  if (part) return answerPart(request, cache, part);
  const kept = await cache.match(request, { ignoreSearch: true, ignoreVary: true });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok && place !== site) await cache.put(request, response.clone());
  return response;
};

worker.addEventListener("install", (event) => event.waitUntil(fill()));
worker.addEventListener("activate", (event) => event.waitUntil(takeOver()));
worker.addEventListener("message", () => worker.skipWaiting());
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(worker.registration.scope)) event.respondWith(answer(request));
});
