/**
 * The worker of `worker.html`: reads a month, draws it, and posts its mean, weighted by area.
 * Import maps are for pages, so a worker names the module's file; bundlers take the package's name.
 */
import * as zarr from "./modules/zarr-wasm.js";

const opened = zarr.open(new URL("../samples/climate.zarr", import.meta.url), {
  path: "air_temperature",
  kind: "array",
});
const look = { decode: "cf", as: "rgba", window: [230, 310], colors: "viridis" };
let canvas;
let wanted;

async function show(time) {
  const air = await opened;
  const { data, shape } = await air.get({ time }, look);
  if (time !== wanted) return; // another month was chosen meanwhile
  canvas.getContext("2d").putImageData(new ImageData(data, shape[1], shape[0]), 0, 0);
  const mean = await zarr.reduce(air, { time }, { op: "mean", weights: { latitude: "cos" }, decode: "cf" });
  postMessage({ kelvin: mean.data[0] });
}

addEventListener("message", ({ data }) => {
  if (data.canvas) canvas = data.canvas;
  else {
    wanted = data.month;
    void show(wanted);
  }
});
