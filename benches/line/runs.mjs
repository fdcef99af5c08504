/**
 * The clients of line.mjs, in Node and in pages: URLs of runs, their counters, and the floor, which
 * fetches the needed bytes and ignores them.
 */

let count = 0;
const session = Math.floor(Math.random() * 2 ** 32).toString(36);

/** A new run: its URLs, which no cache has, and its counters. */
export function newRun(base, { latency = 0, rate = 0, encoding = "gzip" } = {}) {
  count += 1;
  const name = `${session}-${count}`;
  return {
    url: (store) => `${base}/line/${latency}-${rate}-${encoding}/${name}/${store}`,
    tally: async () => (await fetch(`${base}/tally/${name}`, { cache: "no-store" })).json(),
  };
}

/** Ranges bypass the cache, because Chromium serialises ranges of a URL that may be cached. */
async function fetchOne(url, { key, method = "GET", offset, end }) {
  const init =
    offset === undefined
      ? { method }
      : { headers: { Range: `bytes=${offset}-${end - 1}` }, cache: "no-store" };
  const response = await fetch(url + key, init);
  return (await response.arrayBuffer()).byteLength;
}

/** Number of concurrent requests. Chromium refuses thousands, and has six connections for them. */
const AT_A_TIME = 256;

/** Fetches the trips of needs.mjs, one after the other. */
export async function fetchTrips(url, trips) {
  let bytes = 0;
  for (const trip of trips) {
    const rest = [...trip];
    const some = async () => {
      for (let request = rest.pop(); request; request = rest.pop()) bytes += await fetchOne(url, request);
    };
    await Promise.all(Array.from({ length: Math.min(AT_A_TIME, rest.length) }, some));
  }
  return bytes;
}
