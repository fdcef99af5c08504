/**
 * The libraries that read, behind one interface: zarrita 0.7.5 plain and with its wrappers, and
 * this package with zarrita's calls (only the import differs) and with its own.
 *
 * A selection is a list of `null` (all), an index, or [start, stop].
 */
import * as ours from "zarr-wasm";
import * as zarrita from "zarrita";

const spelled = (zarr, selection) =>
  selection?.map((entry) => (Array.isArray(entry) ? zarr.slice(...entry) : entry)) ?? null;

/** The usual code of viewers: store, `open`, `get`. */
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

/** The same with zarrita's wrappers: merged requests and a cache. */
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

/** The wrappers have no effect in memory. */
export const MEMORY_ENGINES = { zarrita: plain, alias: ENGINES.alias, ours: own };

export const setWorkers = (workers) => ours.init({ workers });

/** Starts our engine with options of `init`, such as the kind of its thread. */
export const startOurs = (options) => ours.init(options);

/** The counters of our engine. */
export const ourInfo = () => ours.info();
