/**
 * The common part of the cold pages. `read(url, path, trips)` opens the array and reads a tile. The
 * query of the page has the store's URL, the array's path and the requests of the floor. Sets
 * `window.finished` to the time in ms since the HTML was loaded.
 */
import { goBack } from "../jobs.mjs";

const query = new URL(location.href).searchParams;

export async function showFirstTile(read) {
  const url = new URL(query.get("data") ?? "../../../pyramid", location.href);
  const path = query.get("path") ?? "0";
  const { data } = await read(url.href, path, JSON.parse(query.get("trips") ?? "null"));
  if (data.length !== 256 * 256) throw new Error("this is no tile");
  const [{ responseEnd }] = performance.getEntriesByType("navigation");
  window.finished = performance.now() - responseEnd;
  // The page that takes the pulse goes back by itself.
  if (location.pathname.endsWith("/index.html")) goBack(window.finished);
}
