/**
 * Answers with programs that were edited on a page: the page puts them into a cache, and the frame
 * imports them by address. So they run under a policy that allows scripts of this site alone. It
 * answers nothing else.
 */
const CACHE = "zarr-wasm-edited";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (!new URL(event.request.url).pathname.includes("/run/edited/")) return;
  const answer = async () =>
    (await (await caches.open(CACHE)).match(event.request)) ?? new Response(null, { status: 404 });
  event.respondWith(answer());
});
