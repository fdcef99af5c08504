/**
 * The libraries that read, behind one face: zarrita 0.7.5 plain and tuned with its own wrappers, and this package, through
 * zarrita's calls (the same code: only the import differs) and through its own.
 *
 * Selections are neutral: a list of `null` (all), an index, or [start, stop].
 */
import * as ours from "zarr-wasm";
import * as zarrita from "zarrita";

const spelled = (zarr, selection) =>
  selection?.map((entry) => (Array.isArray(entry) ? zarr.slice(...entry) : entry)) ?? null;

/** Code as viewers have it: store, `open`, `get`. */
const throughZarritasCalls = (zarr, label) => ({
  label,
  http: (url) => new zarr.FetchStore(url),
  open: (store, path = "/") => zarr.open(zarr.root(store).resolve(path), { kind: "array" }),
  openGroup: async (store) => {
    const consolidated = await zarr.withMaybeConsolidatedMetadata(store);
    return zarr.open(consolidated, { kind: "group" });
  },
  read: (array, selection, options) => zarr.get(array, spelled(zarr, selection), options),
});

const plain = throughZarritasCalls(zarrita, "zarrita");

/** What a careful viewer makes of it: few requests, nothing fetched twice. */
const tuned = {
  ...plain,
  label: "zarrita tuned",
  http: (url) =>
    zarrita.withMaybeConsolidatedMetadata(
      zarrita.withByteCaching(zarrita.withRangeCoalescing(new zarrita.FetchStore(url))),
    ),
};

const own = {
  label: "ours",
  http: (url) => new ours.FetchStore(url),
  open: (store, path = "/") => ours.open(store, { path, kind: "array" }),
  openGroup: async (store) => ours.open(await ours.withMaybeConsolidatedMetadata(store), { kind: "group" }),
  read: (array, selection, options) => array.get(spelled(ours, selection), options),
};

export const ENGINES = {
  zarrita: plain,
  tuned,
  alias: throughZarritasCalls(ours, "ours, zarrita's calls"),
  ours: own,
};

/** In memory there is nothing to tune. */
export const MEMORY_ENGINES = { zarrita: plain, alias: ENGINES.alias, ours: own };

export const setWorkers = (workers) => ours.init({ workers });

/** With options of `init`, such as where the engine runs. */
export const startOurs = (options) => ours.init(options);

/** How our parts were decoded so far. */
export const ourInfo = () => ours.info();
