/**
 * The common part of the cold pages. `read(url)` opens the array and reads a tile. Sets
 * `window.finished` to the time in ms since the HTML was loaded.
 */

export async function showFirstTile(read) {
  const url = new URL("../../../pyramid", location.href);
  const { data } = await read(url.href);
  if (data.length !== 256 * 256) throw new Error("this is no tile");
  const [{ responseEnd }] = performance.getEntriesByType("navigation");
  window.finished = performance.now() - responseEnd;
}
