/** Gathers what is known of a view, for `causes.ts`. It reads no chunk. */

import * as zarr from "zarr-wasm";
import { joined } from "../../model/text/paths.js";
import { type Run, storeLocationOf, viewRead } from "../../widgets/views/view_reads.js";
import type { ViewSnapshot } from "../../widgets/views/view_snapshot.js";
import type { Evidence } from "./causes.js";
import type { Second } from "./recorder.js";

/** What the view needs of its array, and what the server has shown so far. */
export interface Observed {
  seconds: readonly Second[];
  warnings: readonly string[];
  hiddenHeaders: readonly string[];
}

/** Side of a chunk that is about as large as a tile of a map. */
const SIDE = 512;

export async function evidenceOf(snapshot: ViewSnapshot, observed: Observed): Promise<Evidence> {
  const { state, box, source, size } = snapshot;
  const { scene } = state;
  const array = scene.pyramid.levels[box.level]?.array ?? scene.array;
  const selection = viewRead(snapshot).axes.map(({ read }) =>
    typeof read === "number" ? read : zarr.slice(...spanOf(read)),
  );
  const plan = await array.plan(selection);
  const { plane } = scene;
  const lengthOf = (axis: number) => {
    const along = selection[axis];
    return typeof along === "object" ? (along.stop ?? 1) - (along.start ?? 0) : 1;
  };
  const count = plan.shape.reduce((product, length) => product * length, 1);
  return {
    host: source.url?.host ?? "The store",
    chunk: array.chunks,
    isSharded: array.shards !== undefined,
    elementBytes: plan.resultBytes / Math.max(count, 1),
    levels: scene.pyramid.levels.length,
    plan,
    elements: lengthOf(plane.x) * lengthOf(plane.y),
    pixels: size[0] * size[1] * devicePixelRatio ** 2,
    better: array.shape.map((length, axis) =>
      axis === plane.x || axis === plane.y ? Math.min(SIDE, length) : 1,
    ),
    ignoresRanges: observed.warnings.some((warning) => /ignores byte ranges/.test(warning)),
    hiddenHeaders: observed.hiddenHeaders,
    ...sumsOf(observed.seconds),
  };
}

/** The range that has several. */
const spanOf = (runs: readonly Run[]): [number, number] => [
  Math.min(...runs.map(([start]) => start)),
  Math.max(...runs.map(([, stop]) => stop)),
];

function sumsOf(seconds: readonly Second[]): Pick<Evidence, "decodeMs" | "waitingMs"> {
  const decodeMs: Record<string, number> = {};
  for (const second of seconds)
    for (const [codecs, ms] of Object.entries(second.decodeMs))
      decodeMs[codecs] = (decodeMs[codecs] ?? 0) + ms;
  return { decodeMs, waitingMs: seconds.reduce((sum, second) => sum + second.waitingMs, 0) };
}

/**
 * The headers that a server of another site hides from pages, by one request for the first byte of
 * the array's metadata. Empty if they are shown, and if it cannot be told.
 */
export async function hiddenHeadersOf({ source, state, box }: ViewSnapshot): Promise<string[]> {
  if (!source.url || source.url.origin === location.origin) return [];
  const url = new URL(source.url);
  const array = state.scene.pyramid.levels[box.level]?.array ?? state.scene.array;
  const document = array.zarrFormat === 3 ? "zarr.json" : ".zarray";
  const { kind } = storeLocationOf(source);
  if (kind === "icechunk") return [];
  if (kind === "folder")
    url.pathname = joined(url.pathname.replace(/\/$/, ""), joined(array.path.slice(1), document));
  try {
    const response = await fetch(url, { headers: { Range: "bytes=0-0" }, cache: "no-store" });
    await response.body?.cancel();
    if (response.status !== 206) return [];
    return ["Content-Range", "ETag"].filter((name) => !response.headers.has(name));
  } catch {
    return [];
  }
}
