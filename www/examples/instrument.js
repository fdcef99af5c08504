/**
 * The script that the dashboard watches: appends a field to an array each second, two hundred
 * times. It is a worker, so that the example needs no server; a program on a server would do the
 * same.
 */
import * as zarr from "./modules/zarr-wasm.js";

const [HEIGHT, WIDTH] = [90, 180];

/** Waves that move east, above a slow rise. */
const fieldAt = (step) =>
  Float32Array.from({ length: HEIGHT * WIDTH }, (_, at) => {
    const [row, column] = [Math.floor(at / WIDTH), at % WIDTH];
    return 20 + 6 * Math.sin(column / 14 - step / 4) * Math.cos(row / 12) + 2 * Math.sin(step / 9);
  });

const array = await zarr.create(new zarr.OpfsStore("instrument.zarr"), {
  shape: [1, HEIGHT, WIDTH],
  chunkShape: [1, HEIGHT, WIDTH],
  dtype: "float32",
  dimensionNames: ["time", "y", "x"],
  overwrite: true,
});
await array.set({ time: 0 }, fieldAt(0));
postMessage("the array is there");
for (let step = 1; step <= 200; step += 1) {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await array.append(fieldAt(step), 0);
}
