/**
 * Workers that die, for Node and for browsers: a class instead of `Worker` that ends each worker,
 * or the first ones, at a moment. The cases read an array whose elements are known by a formula.
 */

/** The moments: when a worker is made, at a message that it sends, or at one that it gets. */
export const MOMENTS = ["made", ...[1, 2, 3, 4, 6].flatMap((k) => [`heard ${k}`, `posted ${k}`])];

/**
 * Decides when workers die. `most` is the number of workers that die. `kill(worker, how)` ends one.
 */
export class Reaper {
  constructor(moment, how, most) {
    [this.moment, this.how, this.left] = [moment, how, most];
    this.made = 0;
  }

  /** A number of messages of a worker has passed. */
  passed(worker, kind, count) {
    if (this.moment !== `${kind}${count ? ` ${count}` : ""}` || this.left <= 0) return false;
    this.left -= 1;
    worker.die(this.how);
    return true;
  }
}

export const ROWS = 1024;
export const COLUMNS = 512;
const CHUNK = 64;

const metadata = () => ({
  zarr_format: 3,
  node_type: "array",
  shape: [ROWS, COLUMNS],
  data_type: "float64",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [CHUNK, COLUMNS] } },
  chunk_key_encoding: { name: "default" },
  codecs: [
    { name: "bytes", configuration: { endian: "little" } },
    { name: "gzip", configuration: { level: 1 } },
  ],
  fill_value: 0,
});

/** A store with one array. Element [i, j] is 1000 i + j. */
export async function store() {
  const files = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(metadata()))]]);
  for (let at = 0; at * CHUNK < ROWS; at += 1) {
    const elements = Float64Array.from(
      { length: CHUNK * COLUMNS },
      (_, place) => (at * CHUNK + Math.floor(place / COLUMNS)) * 1000 + (place % COLUMNS),
    );
    const stream = new Blob([elements]).stream().pipeThrough(new CompressionStream("gzip"));
    files.set(`/c/${at}/0`, new Uint8Array(await new Response(stream).arrayBuffer()));
  }
  return files;
}

const isRight = ({ data }) =>
  data.length === ROWS * COLUMNS &&
  data.every((value, place) => value === Math.floor(place / COLUMNS) * 1000 + (place % COLUMNS));

/** The sum of each column, as integers that a double has exactly, and how many rows it has. */
const isReduced = ({ sum, count }) =>
  sum.data.length === COLUMNS &&
  count.data.every((rows) => rows === ROWS) &&
  sum.data.every((value, column) => value === (1000 * ROWS * (ROWS - 1)) / 2 + ROWS * column);

/** What a case does with the array. Each resolves to whether the answer is right. */
const ACTS = {
  read: async (_zarr, array) => isRight(await array.get(null)),
  reduction: async (zarr, array) =>
    isReduced(await zarr.reduce(array, null, { op: ["sum", "count"], over: 0 })),
};

/**
 * Reads or reduces the array while workers die. Resolves to `right`, `typed`, or what is wrong. An
 * act that does not end within `patienceMs` is a hang.
 */
export async function verdict(zarr, files, patienceMs, act = "read") {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, patienceMs, "hang");
  });
  const acted = async () => {
    try {
      const array = await zarr.open(new Map(files), { kind: "array" });
      return (await ACTS[act](zarr, array)) ? "right" : "wrong elements";
    } catch (error) {
      return error instanceof zarr.ZarrError ? "typed" : `untyped: ${error?.stack ?? error}`;
    }
  };
  const said = await Promise.race([acted(), late]);
  clearTimeout(timer);
  return said;
}
