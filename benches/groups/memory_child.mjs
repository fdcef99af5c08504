/**
 * Reads the arrays at the given addresses with one engine, one after the other, and keeps the results. Prints the peak growth as a
 * multiple of them: `node --expose-gc memory_child.mjs <engine> <url>…`
 */
import { ENGINES, setWorkers } from "../peers/engines.mjs";

const [name, ...urls] = process.argv.slice(2);
const engine = ENGINES[name];
if (name !== "zarrita") await setWorkers(2);
const arrays = [];
for (const url of urls) arrays.push(await engine.open(await engine.http(url)));
globalThis.gc();
const before = process.memoryUsage.rss();
const results = [];
for (const array of arrays) results.push((await engine.read(array, null)).data);
const bytes = results.reduce((sum, { byteLength }) => sum + byteLength, 0);
const peak = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ peak: (peak - before) / bytes }));
process.exit(0); // workers may still idle
