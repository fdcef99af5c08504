/**
 * Tests reads through a replaced `getChunk`: which chunks are requested, and where each element
 * goes. Element [i, j] of the array is 100 i + j. Chunks are complete also at the edge of the
 * array, as in zarrita.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EngineDimension } from "../../engine/ts/model/read_request.ts";
import type { Chunk, DataType } from "../../engine/ts/model/types.ts";
import { BoolArray } from "../../engine/ts/model/wrapper_arrays.ts";
import { type ByChunkRequest, getByChunk } from "./by_chunk.ts";

const [ROWS, COLUMNS] = [2, 4];

type AnyChunk = Chunk<DataType>;
type Options = Parameters<ByChunkRequest["array"]["getChunk"]>[1];

/** An array of 5 × 6 in chunks of 2 × 4. */
class FakeArray {
  readonly asked: number[][] = [];
  readonly options: Options[] = [];

  async getChunk(coords: number[], options: Options): Promise<AnyChunk> {
    this.asked.push(coords);
    this.options.push(options);
    const [row = 0, column = 0] = coords;
    const values = Array.from({ length: ROWS * COLUMNS }, (_, at) => {
      const [i, j] = [row * ROWS + Math.floor(at / COLUMNS), column * COLUMNS + (at % COLUMNS)];
      return 100 * i + j;
    });
    return this.chunkOf(values);
  }

  chunkOf(values: number[]): AnyChunk {
    return { data: Int16Array.from(values), shape: [ROWS, COLUMNS], stride: [COLUMNS, 1] } as AnyChunk;
  }
}

const requestOf = (
  array: ByChunkRequest["array"],
  entries: EngineDimension[],
  more: Partial<ByChunkRequest> = {},
): ByChunkRequest => ({
  array,
  selection: { Orthogonal: entries },
  shape: [5, 6],
  grid: [ROWS, COLUMNS],
  order: [0, 1],
  signal: undefined,
  useSharedArrayBuffer: undefined,
  createQueue: undefined,
  ...more,
});

const read = (entries: EngineDimension[], more?: Partial<ByChunkRequest>, array = new FakeArray()) =>
  getByChunk(requestOf(array, entries, more));

const part = (start?: number, stop?: number, step?: number): EngineDimension => ({
  Slice: { start, stop, step },
});

test("a box across four chunks", async () => {
  assert.deepEqual(await read([part(1, 3), part(3, 6)]), {
    data: Int16Array.of(103, 104, 105, 203, 204, 205),
    shape: [2, 3],
    stride: [3, 1],
  });
});

test("backward steps and lists", async () => {
  const result = await read([part(4, 0, -2), { List: [5, 0, -2] }]);
  assert.deepEqual(result?.data, Int16Array.of(405, 400, 404, 205, 200, 204));
});

test("each chunk is requested once, with the first dimension fastest", async () => {
  const array = new FakeArray();
  await read([part(4, 0, -2), { List: [5, 0, -2] }], {}, array);
  assert.deepEqual(array.asked, [
    [2, 1],
    [1, 1],
    [2, 0],
    [1, 0],
  ]);
});

test("an integer removes its dimension", async () => {
  assert.deepEqual(await read([{ Index: -1 }, "All"]), {
    data: Int16Array.of(400, 401, 402, 403, 404, 405),
    shape: [6],
    stride: [1],
  });
  assert.deepEqual(await read([{ Index: 3 }, { Index: 2 }]), {
    data: Int16Array.of(302),
    shape: [],
    stride: [],
  });
});

test("dimensions without an entry are selected completely", async () => {
  assert.deepEqual((await read([{ Index: 0 }]))?.data, Int16Array.of(0, 1, 2, 3, 4, 5));
});

test("a result in F order", async () => {
  assert.deepEqual(await read([part(0, 2), part(0, 3)], { order: [1, 0] }), {
    data: Int16Array.of(0, 100, 1, 101, 2, 102),
    shape: [2, 3],
    stride: [1, 2],
  });
});

test("chunks in F order", async () => {
  class ByColumns extends FakeArray {
    override chunkOf(values: number[]): AnyChunk {
      const turned = Array.from(
        { length: values.length },
        (_, at) => values[(at % ROWS) * COLUMNS + Math.floor(at / ROWS)] ?? 0,
      );
      return { data: Int16Array.from(turned), shape: [ROWS, COLUMNS], stride: [1, ROWS] } as AnyChunk;
    }
  }
  const result = await read([part(1, 3), part(3, 6)], {}, new ByColumns());
  assert.deepEqual(result?.data, Int16Array.of(103, 104, 105, 203, 204, 205));
});

test("chunks of different lengths", async () => {
  // Columns in chunks of 4, 1 and 1; the fake makes chunks of four columns, of which one is used.
  const grid = [
    ROWS,
    [
      [4, 1],
      [1, 2],
    ],
  ] as const;
  const array = new FakeArray();
  await read([{ Index: 0 }, part(4, 6)], { grid }, array);
  assert.deepEqual(array.asked, [
    [0, 1],
    [0, 2],
  ]);
});

test("a complex number is two adjacent numbers", async () => {
  class Complex extends FakeArray {
    override chunkOf(values: number[]): AnyChunk {
      const pairs = values.flatMap((value) => [value, -value]);
      const layout = { shape: [ROWS, COLUMNS], stride: [COLUMNS, 1], complex: true };
      return { data: Float32Array.from(pairs), ...layout } as unknown as AnyChunk;
    }
  }
  const result = await read([{ Index: 1 }, part(4, 6)], {}, new Complex());
  assert.deepEqual(result?.data, Float32Array.of(104, -104, 105, -105));
  assert.equal((result as { complex?: boolean }).complex, true);
});

test("zarrita's classes and plain lists are kept", async () => {
  class Booleans extends FakeArray {
    override chunkOf(values: number[]): AnyChunk {
      const data = new BoolArray(values.length);
      for (const [at, value] of values.entries()) data.set(at, value % 2 === 1);
      return { data, shape: [ROWS, COLUMNS], stride: [COLUMNS, 1] } as unknown as AnyChunk;
    }
  }
  const flags = (await read([{ Index: 0 }, part(0, 3)], {}, new Booleans()))?.data as unknown as BoolArray;
  assert.ok(flags instanceof BoolArray);
  assert.deepEqual([...flags], [false, true, false]);
  class Texts extends FakeArray {
    override chunkOf(values: number[]): AnyChunk {
      return { data: values.map(String), shape: [ROWS, COLUMNS], stride: [COLUMNS, 1] } as never;
    }
  }
  const texts = await read([{ Index: 4 }, { List: [5, 0] }], {}, new Texts());
  assert.deepEqual(texts?.data, ["405", "400"]);
});

test("an empty selection requests nothing", async () => {
  const array = new FakeArray();
  assert.equal(await read([part(3, 3), "All"], {}, array), undefined);
  assert.deepEqual(array.asked, []);
});

test("slices are clipped as in Python", async () => {
  assert.deepEqual((await read([{ Index: 0 }, part(-100, 100, 4)]))?.data, Int16Array.of(0, 4));
  assert.deepEqual((await read([{ Index: 0 }, part(100, -100, -3)]))?.data, Int16Array.of(5, 2));
});

for (const [what, entries] of [
  ["an index outside", [{ Index: 5 }]],
  ["an index before the first", [{ Index: -6 }]],
  ["a list with an index outside", ["All", { List: [0, 6] }]],
  ["a step of 0", [part(0, 5, 0)]],
  ["more entries than dimensions", ["All", "All", "All"]],
] as [string, EngineDimension[]][]) {
  test(`${what} is refused`, async () => {
    await assert.rejects(read(entries), { name: "InvalidSelectionError" });
  });
}

test("getChunk gets the caller's own signal", async () => {
  const array = new FakeArray();
  const { signal } = new AbortController();
  await read([{ Index: 0 }], { signal }, array);
  assert.ok(array.options.every((options) => options.signal === signal));
});

test("an abort ends the read before the next request", async () => {
  const array = new FakeArray();
  const controller = new AbortController();
  const reads: (() => Promise<void>)[] = [];
  const createQueue = () => ({
    add: (run: () => Promise<void>) => void reads.push(run),
    async onIdle() {
      const done: undefined[] = [];
      for (const run of reads) {
        await run();
        controller.abort("gone");
      }
      return done;
    },
  });
  await assert.rejects(
    read(["All", "All"], { createQueue, signal: controller.signal }, array),
    (reason) => reason === "gone",
  );
  assert.equal(reads.length, 6);
  assert.equal(array.asked.length, 1);
});
