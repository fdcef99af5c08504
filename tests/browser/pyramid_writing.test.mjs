/**
 * `createPyramid` and `createDataset` in a page: into the private file system and into archives,
 * while the page stays responsive.
 */
import * as zarr from "zarr-wasm";
import { equal, ok, test } from "./harness.mjs";
import { removePrivateFolder } from "./private_folder.mjs";

const NAME = "pyramid-writing";
/** Rows count up, so the mean of a block is known: half to even of two rows. */
const source = {
  shape: [2048, 2048],
  dtype: "uint16",
  read: ([row], [rows, columns]) =>
    Uint16Array.from({ length: rows * columns }, (_, at) => 4 * (row + Math.floor(at / columns))),
};
const isMean = (level) => (value, row) => value === 4 * (row * level + (level - 1) / 2);

async function withOpfs(body) {
  await removePrivateFolder(NAME);
  await body(new zarr.OpfsStore(NAME));
  await removePrivateFolder(NAME);
}

test("a pyramid in the private file system is read back by another store", () =>
  withOpfs(async (store) => {
    await zarr.createPyramid(store, source, { levels: 3, axes: ["y", { name: "x", unit: "micrometer" }] });
    const image = await zarr.pyramid(await zarr.open(new zarr.OpfsStore(NAME), { kind: "group" }));
    equal(
      image.levels.map(({ shape }) => shape),
      [
        [2048, 2048],
        [1024, 1024],
        [512, 512],
      ],
    );
    for (const [at, level] of [2, 4].entries()) {
      const { data } = await image.levels[at + 1].array.get([null, 7]);
      ok(data.every(isMean(level)), `level ${at + 1}: ${data.slice(0, 4)}`);
    }
    equal(image.axes[1].unit, "micrometer");
  }));

test("an archive of a pyramid goes to a file of the private file system", async () => {
  const writer = new zarr.ZipWriter({ omeVersion: "0.5" });
  await zarr.createPyramid(writer, source, { levels: 2 });
  const folder = await navigator.storage.getDirectory();
  const file = await folder.getFileHandle(`${NAME}.ozx`, { create: true });
  await writer.pipeTo(await file.createWritable());
  const archive = zarr.ZipFileStore.fromBlob(await file.getFile());
  const image = await zarr.pyramid(await zarr.open(archive, { kind: "group" }));
  const { data } = await image.levels[1].array.get([null, 1023]);
  ok(data.every(isMean(2)), `${data.slice(0, 4)}`);
  await folder.removeEntry(`${NAME}.ozx`);
});

test("a data set in the private file system is read back by another store", () =>
  withOpfs(async (store) => {
    const time = ["2026-01-01", "2026-01-02"].map((text) => new Date(text));
    await zarr.createDataset(store, {
      coords: { time },
      variables: { heat: { dims: ["time"], data: new Float32Array([1, 2]) } },
    });
    const heat = await zarr.open(zarr.root(new zarr.OpfsStore(NAME)).resolve("heat"), { kind: "array" });
    equal([...(await heat.get()).data], [1, 2]);
    const times = await zarr.coords(heat, "time");
    equal((await times.date(1)).toISOString(), "2026-01-02T00:00:00.000Z");
  }));

test("levels are computed while the page's timers run", async () => {
  const data = new Uint8Array(4096 * 4096).map((_, at) => at);
  const array = await zarr.create(new Map(), {
    shape: [4096, 4096],
    dtype: "uint8",
    dimensionNames: ["y", "x"],
  });
  await array.set(null, data);
  const existing = new Map(array.store);
  const node = await zarr.open(existing, { kind: "array" });
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  const image = await zarr.createPyramid(new Map(), node, { levels: 3, method: "mode" });
  clearInterval(timer);
  equal(image.levels.length, 3);
  equal(zarr.info().engine, "blob");
  ok(longest < 600, `a timer waited for ${longest} ms`);
});
