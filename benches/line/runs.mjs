/**
 * The other end of line.mjs, in Node and in the page: addresses of runs, their tallies, and the floor: the bytes that are needed,
 * fetched and not looked at.
 */

let count = 0;
const session = Math.floor(Math.random() * 2 ** 32).toString(36);

/** A run's name and address; nobody has asked anything below it. */
export function newRun(base, { latency = 0, rate = 0 } = {}) {
  count += 1;
  const name = `${session}-${count}`;
  return {
    url: (store) => `${base}/line/${latency}-${rate}/${name}/${store}`,
    tally: async () => (await fetch(`${base}/tally/${name}`, { cache: "no-store" })).json(),
  };
}

/** Chromium serialises ranges of one URL that may be cached. */
async function fetchOne(url, { key, method = "GET", offset, end }) {
  const init =
    offset === undefined
      ? { method }
      : { headers: { Range: `bytes=${offset}-${end - 1}` }, cache: "no-store" };
  const response = await fetch(url + key, init);
  return (await response.arrayBuffer()).byteLength;
}

/** Fetches what needs.mjs lists, a trip after the other. */
export async function fetchTrips(url, trips) {
  let bytes = 0;
  for (const trip of trips) {
    const lengths = await Promise.all(trip.map((request) => fetchOne(url, request)));
    bytes += lengths.reduce((sum, length) => sum + length, 0);
  }
  return bytes;
}
