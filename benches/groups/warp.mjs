/**
 * `warp` from arrays in memory to maps of 1024 × 1024 pixels in Web Mercator, for a regular and for
 * a curvilinear grid. It is compared with a loop that calls proj4 for every pixel. The loop has the
 * decoded values and the formula of the curvilinear grid, which `warp` does not know. In Chromium.
 */
import proj4 from "proj4";
import * as zarr from "zarr-wasm";

const SIDE = 1024;
const EXTENT = [-1.5e6, 4e6, 4.5e6, 10e6];
const MAP = "EPSG:3857";
/** Share of the pixels that may differ, because they are at the border of two elements. */
const MAX_DIFFERING = 0.01;
const CONE = "+proj=lcc +lat_1=35 +lat_2=65 +lat_0=52 +lon_0=10 +R=6378137 +units=m";
const CELLS = 600;
const CELL_M = 8000;

const first = -((CELLS - 1) / 2) * CELL_M;

/** Both grids: the coordinates of a column and row in `crs`, and the metadata. */
const GRIDS = {
  rectilinear: {
    shape: [720, 1440],
    chunks: [180, 360],
    crs: "EPSG:4326",
    x: [-179.875, 0.25],
    y: [89.875, -0.25],
    attributes: {
      "proj:code": "EPSG:4326",
      "spatial:dimensions": ["lat", "lon"],
      "spatial:transform": [0.25, 0, -180, 0, -0.25, 90],
    },
  },
  curvilinear: {
    shape: [CELLS, CELLS],
    chunks: [200, 200],
    crs: CONE,
    x: [first, CELL_M],
    y: [first, CELL_M],
    attributes: { coordinates: "lat lon" },
  },
};

/** Adds an array of 32-bit floats to a store. */
function put(store, path, { shape, chunks, attributes }, valueAt) {
  const metadata = {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: "float32",
    chunk_grid: { name: "regular", configuration: { chunk_shape: chunks } },
    chunk_key_encoding: { name: "default" },
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    fill_value: "NaN",
    attributes,
    dimension_names: ["lat", "lon"],
  };
  store.set(`/${path}/zarr.json`, new TextEncoder().encode(JSON.stringify(metadata)));
  const [height, width] = chunks;
  for (let top = 0; top < shape[0]; top += height) {
    for (let left = 0; left < shape[1]; left += width) {
      const place = (at) => valueAt(left + (at % width), top + Math.floor(at / width));
      const values = Float32Array.from({ length: width * height }, (_, at) => place(at));
      store.set(`/${path}/c/${top / height}/${left / width}`, new Uint8Array(values.buffer));
    }
  }
}

/** Smooth values in which neighbours differ. */
const elementAt = (column, row) => Math.sin(column / 40) * 10 + row / 7 + column / 1000;

async function made(name) {
  const grid = GRIDS[name];
  const store = new Map();
  put(store, "air", grid, elementAt);
  if (name === "curvilinear") {
    const toDegrees = proj4(grid.crs, "EPSG:4326");
    const degrees = (column, row) =>
      toDegrees.forward([grid.x[0] + column * grid.x[1], grid.y[0] + row * grid.y[1]]);
    const named = (standard_name, units) => ({ ...grid, attributes: { standard_name, units } });
    put(store, "lon", named("longitude", "degrees_east"), (...place) => degrees(...place)[0]);
    put(store, "lat", named("latitude", "degrees_north"), (...place) => degrees(...place)[1]);
  }
  return zarr.open(zarr.root(store).resolve("/air"), { kind: "array" });
}

function valueBetween(values, [height, width], column, row) {
  const [left, top] = [Math.floor(column), Math.floor(row)];
  if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) return Number.NaN;
  const [across, down, at] = [column - left, row - top, top * width + left];
  const above = values[at] * (1 - across) + values[at + 1] * across;
  const below = values[at + width] * (1 - across) + values[at + width + 1] * across;
  return above * (1 - down) + below * down;
}

/** The simple loop over pixels. */
function looped({ shape, crs, x, y }, values, method) {
  const transform = proj4(MAP, crs);
  const [height, width] = shape;
  const step = (EXTENT[2] - EXTENT[0]) / SIDE;
  const data = new Float32Array(SIDE * SIDE);
  for (let v = 0; v < SIDE; v += 1) {
    for (let u = 0; u < SIDE; u += 1) {
      const place = transform.forward([EXTENT[0] + (u + 0.5) * step, EXTENT[3] - (v + 0.5) * step]);
      const [column, row] = [(place[0] - x[0]) / x[1], (place[1] - y[0]) / y[1]];
      const [nearX, nearY] = [Math.round(column), Math.round(row)];
      const isIn = nearX >= 0 && nearY >= 0 && nearX < width && nearY < height;
      const nearest = isIn ? values[nearY * width + nearX] : Number.NaN;
      data[v * SIDE + u] = method === "nearest" ? nearest : valueBetween(values, shape, column, row);
    }
  }
  return data;
}

/** Throws if the maps differ. */
function check(name, method, ours, theirs) {
  const slack = method === "nearest" ? 0 : 0.02;
  let [differing, known] = [0, 0];
  for (const [at, value] of ours.entries()) {
    if (Number.isNaN(value) || Number.isNaN(theirs[at])) continue;
    known += 1;
    if (Math.abs(value - theirs[at]) > slack) differing += 1;
  }
  if (known < (SIDE * SIDE) / 10 || differing > MAX_DIFFERING * known)
    throw new Error(`${name}, ${method}: ${differing} of ${known} pixels differ`);
}

export async function* measure(env) {
  for (const [name, grid] of Object.entries(GRIDS)) {
    const array = await made(name);
    const { data: values } = await array.get();
    for (const method of ["nearest", "linear"]) {
      const options = { crs: MAP, extent: EXTENT, size: [SIDE, SIDE], method, proj4 };
      const loop = () => looped(grid, values, method);
      check(name, method, (await zarr.warp(array, options)).data, loop());
      const { ms } = await env.compare({
        pixels: { run: () => loop().length },
        ours: { run: async () => (await zarr.warp(array, options)).shape },
      });
      yield { row: `${name} grid to ${SIDE} × ${SIDE} pixels, ${method}`, figures: ms };
    }
  }
}
