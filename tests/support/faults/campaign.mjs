/**
 * The campaign: faults of the server × requests that fail × arrays × operations. Each case is
 * compared with a naive oracle: the right elements, or a `ZarrError` with one of the codes that the
 * fault may have, within some seconds. It runs in Node and in browsers; the server is told by the
 * address which request fails.
 */

/** Elements, as `arrays.mjs` makes them. Not imported, because browsers have no `node:zlib`. */
const SHAPE = [12, 10];
const FILL = -1;
const elementAt = (row, column) => 100 * row + column + 1;

/** A case must end within this time, also on a machine that is busy with other lanes. */
const PATIENCE_MS = 30_000;

/** Compares elements of a box with the formula. `absent` allows the fill value. */
function wrongElement({ data, shape }, [row, column], absent) {
  const [rows, columns] = shape;
  if (data.length !== rows * columns) return `${data.length} elements`;
  for (let at = 0; at < data.length; at += 1) {
    const expected = elementAt(row + Math.floor(at / columns), column + (at % columns));
    if (data[at] !== expected && !(absent && data[at] === FILL)) return `${data[at]} in place of ${expected}`;
  }
  return undefined;
}

const whole = (array) => (array.shape.join() === SHAPE.join() ? undefined : `shape ${array.shape}`);

/** The operations. Each returns what is wrong, or undefined. */
export const OPERATIONS = {
  async open(zarr, place) {
    return whole(await zarr.open(place.resolve("a"), { kind: "array" }));
  },
  async whole(zarr, place, absent) {
    const array = await zarr.open(place.resolve("a"), { kind: "array" });
    return whole(array) ?? wrongElement(await array.get(null), [0, 0], absent);
  },
  async part(zarr, place, absent) {
    const array = await zarr.open(place.resolve("a"), { kind: "array" });
    const box = [zarr.slice(3, 9), zarr.slice(2, 7)];
    return whole(array) ?? wrongElement(await zarr.get(array, box), [3, 2], absent);
  },
  async stream(zarr, place, absent) {
    const array = await zarr.open(place.resolve("a"), { kind: "array" });
    let count = 0;
    for await (const part of array.stream(null)) {
      const wrong = wrongElement(part, part.start, absent);
      if (wrong) return wrong;
      count += part.data.length;
    }
    return whole(array) ?? (count === 120 ? undefined : `${count} elements`);
  },
  async children(zarr, place, absent) {
    const listed = await zarr.withMaybeConsolidatedMetadata(place.store);
    const group = await zarr.open(listed, { kind: "group" });
    for await (const child of group.children()) {
      if (child.error) throw child.error;
      if (child.kind === "array") return wrongElement(await child.get(null), [0, 0], absent);
    }
    return undefined;
  },
};

/** Which requests of a case fail: only the k-th one, or all from the k-th on. */
const WHEN = ["only=1", "only=2", "only=3", "from=1", "from=2", "from=3", "from=5"];

/** All cases. `every` takes only each n-th of them. */
export function* cases(classes, every = 1) {
  let number = 0;
  for (const [kind, { codes, absent = false, faults }] of Object.entries(classes)) {
    for (const fault of faults) {
      for (const array of ["v2", "v3", "raw", "sharded", "consolidated"]) {
        for (const operation of Object.keys(OPERATIONS)) {
          for (const when of WHEN) {
            number += 1;
            if (number % every === 0) yield { number, kind, codes, absent, fault, array, operation, when };
          }
        }
      }
    }
  }
}

/** Runs one case. Resolves to its verdict: right, typed, wrong, hang or untyped; and why. */
async function judged(zarr, url, { number, fault, array, operation, when, codes, absent }) {
  const address = `${url}/${encodeURIComponent(fault)}/${array}?${when}&case=${number}`;
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve({ verdict: "hang" }), PATIENCE_MS);
  });
  const run = async () => {
    try {
      const wrong = await OPERATIONS[operation](zarr, zarr.root(new zarr.FetchStore(address)), absent);
      return wrong ? { verdict: "wrong", why: wrong } : { verdict: "right" };
    } catch (error) {
      const why = `${error?.code} ${error?.stack ?? error}`;
      if (!(error instanceof zarr.ZarrError)) return { verdict: "untyped", why };
      // A store over HTTP that cannot list has no children.
      const isListing = operation === "children" && error.code === "Unsupported";
      return isListing || codes.includes(error.code) ? { verdict: "typed" } : { verdict: "untyped", why };
    }
  };
  const verdict = await Promise.race([run(), late]);
  clearTimeout(timer);
  return verdict;
}

const VERDICTS = ["right", "typed", "wrong", "hang", "untyped"];

/** Runs all cases, some at a time. Resolves to the table by class, and the cases that failed. */
export async function campaign(zarr, url, list, atOnce = 12) {
  const table = {};
  const failed = [];
  const waiting = [...list];
  const work = async () => {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      const { verdict, why } = await judged(zarr, url, one);
      table[one.kind] ??= Object.fromEntries(["tried", ...VERDICTS].map((name) => [name, 0]));
      table[one.kind].tried += 1;
      table[one.kind][verdict] += 1;
      if (verdict === "right" || verdict === "typed") continue;
      failed.push(
        `${verdict}: ${one.kind}: ${one.fault}, ${one.array}, ${one.operation}, ${one.when}: ${why}`,
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { table, failed };
}

/** The table as text. */
export function drawn(table) {
  const rows = Object.entries(table).map(([kind, counts]) => [kind, ...Object.values(counts)]);
  const total = ["tried", ...VERDICTS].map((_, at) => rows.reduce((sum, row) => sum + row[at + 1], 0));
  return [["class", "tried", ...VERDICTS], ...rows, ["all", ...total]]
    .map(
      ([kind, ...numbers]) =>
        `${kind.padEnd(24)}${numbers.map((number) => String(number).padStart(9)).join("")}`,
    )
    .join("\n");
}
