/**
 * Damage to the entries of the persistent cache, for the campaign in a page. The server answers
 * rightly, so each case must give the right elements.
 */
const text = (body) => new TextEncoder().encode(body);

const withHeader = (name, value) => (entry) => {
  const headers = new Headers(entry.headers);
  headers.set(name, value);
  return { ...entry, headers };
};

/** Each makes an entry of an entry; undefined if it is gone. */
export const DAMAGE = {
  gone: () => undefined,
  empty: (entry) => ({ ...entry, body: new Uint8Array(0) }),
  half: (entry) => ({ ...entry, body: entry.body.slice(0, entry.body.length / 2) }),
  "without its last byte": (entry) => ({ ...entry, body: entry.body.slice(0, -1) }),
  "with a byte more": (entry) => ({ ...entry, body: new Uint8Array([...entry.body, 0]) }),
  "another body": (entry) => ({ ...entry, body: text("<html>no space left</html>") }),
  "without headers": (entry) => ({ ...entry, headers: new Headers() }),
  "of no age": withHeader("x-zarr-stored", "soon"),
  "of no status": withHeader("x-zarr-status", ""),
  "of a length that is none": withHeader("content-length", "-1"),
  "of another address": withHeader("x-zarr-address", "https://nowhere.example/"),
};

/** Damages the entries of a cache: all of them, or the one of this number. */
export async function damage(name, make, only) {
  const cache = await caches.open(name);
  const requests = await cache.keys();
  for (const [at, request] of requests.entries()) {
    if (only !== undefined && at !== only) continue;
    const kept = await cache.match(request);
    const entry = make({ body: new Uint8Array(await kept.arrayBuffer()), headers: kept.headers });
    await cache.delete(request);
    if (entry) await cache.put(request, new Response(entry.body, { headers: entry.headers }));
  }
  return requests.length;
}
