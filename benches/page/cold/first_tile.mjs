/** What the cold pages do, each with its own reader: `read(url)` opens and reads a tile. Tells `window.finished`, ms since the HTML. */

export async function showFirstTile(read) {
  const url = new URL("../../../pyramid", location.href);
  const { data } = await read(url.href);
  if (data.length !== 256 * 256) throw new Error("this is no tile");
  const [{ responseEnd }] = performance.getEntriesByType("navigation");
  window.finished = performance.now() - responseEnd;
}
