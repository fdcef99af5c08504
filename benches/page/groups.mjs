/**
 * The page that runs groups. `measureGroup(name, options)` measures a group and reports each record
 * to Node with `reportRecord`.
 */
import "../measure/wasm_memory.mjs"; // before the first instance
import { unpack } from "../data/pack.mjs";
import { compare } from "../measure/compare.mjs";

const GROUPS = {
  codecs: () => import("../groups/codecs.mjs"),
  whole: () => import("../groups/whole.mjs"),
  workers: () => import("../groups/workers.mjs"),
  http: () => import("../groups/http.mjs"),
  planes: () => import("../groups/planes.mjs"),
  open: () => import("../groups/open.mjs"),
  pan: () => import("../groups/pan.mjs"),
  big: () => import("../groups/big.mjs"),
  warp: () => import("../groups/warp.mjs"),
};

const load = async (name) =>
  unpack(await (await fetch(`/pack/${name}`, { cache: "no-store" })).arrayBuffer());

window.measureGroup = async (name, options) => {
  const env = {
    ...options,
    where: "chromium",
    load,
    native: window.decodeNatively,
    needs: window.needsOf,
    compare: (contestants) => compare(contestants, options),
  };
  const { measure } = await GROUPS[name]();
  for await (const record of measure(env)) await window.reportRecord(record);
};
