/**
 * `zarr-wasm/viv` under Viv's own layers, which draw pictures of ome-zarr-py and ngff-zarr. Colours
 * are NumPy's.
 */
import { Deck, OrthographicView } from "@deck.gl/core";
import { MultiscaleImageLayer } from "@vivjs/layers";
import * as zarr from "zarr-wasm";
import { pixelSources } from "zarr-wasm/viv";
import { equal, ok, rejects, test } from "../harness.mjs";
import {
  abortsWhen,
  blockColours,
  brokenStore,
  emptyElement,
  endlessStore,
  expected,
  openPyramid,
  showsColours,
  until,
  urlOf,
} from "./page.mjs";

/** Draws layers. One unit is `2 ** zoom` pixels. */
function draw(layers, { zoom = 0, target = [64, 48, 0] }) {
  return new Deck({
    parent: emptyElement(512, 384),
    width: 512,
    height: 384,
    views: new OrthographicView({ id: "image" }),
    initialViewState: { zoom, target },
    layers,
  });
}

const toPage = (zoom) => (x, y) => [256 + (x - 64) * 2 ** zoom, 192 + (y - 48) * 2 ** zoom];

/** Colours and windows of `three_channels` in make/viewer.py. */
const CHANNELS = {
  selections: [{ c: 0 }, { c: 1 }, { c: 2 }],
  contrastLimits: [
    [100, 1100],
    [0, 2000],
    [500, 4000],
  ],
  colors: [
    [64, 96, 255],
    [32, 224, 128],
    [255, 112, 32],
  ],
  channelsVisible: [true, true, true],
};

for (const zoom of [2, 0, -1]) {
  test(`viv: MultiscaleImageLayer draws the colours of three channels at zoom ${zoom}`, async () => {
    const facts = await expected("three-channels");
    const loader = pixelSources(await openPyramid("three-channels"));
    equal(
      loader.map(({ shape, labels, dtype }) => [shape, labels, dtype]),
      [
        [[3, 96, 128], ["c", "y", "x"], "Uint16"],
        [[3, 48, 64], ["c", "y", "x"], "Uint16"],
      ],
      "sources",
    );
    const layer = new MultiscaleImageLayer({ id: "channels", loader, ...CHANNELS });
    const deck = draw([layer], { zoom });
    await showsColours(blockColours(facts, toPage(zoom)));
    deck.finalize();
  });
}

test("viv: each zoom draws the level of its resolution", async () => {
  const { greys, sizes } = await expected("levels");
  const loader = pixelSources(await openPyramid("levels"));
  equal(
    loader.map(({ shape }) => shape),
    sizes.map((side) => [side, side]),
    "levels",
  );
  const white = {
    selections: [{}],
    contrastLimits: [[0, 255]],
    colors: [[255, 255, 255]],
    channelsVisible: [true],
  };
  for (const [level, grey] of greys.entries()) {
    const layer = new MultiscaleImageLayer({ id: `level ${level}`, loader, ...white });
    const deck = draw([layer], { zoom: -level, target: [512, 512, 0] });
    await showsColours([{ name: `level ${level}`, place: [256, 192], color: [grey, grey, grey] }]);
    deck.finalize();
  }
});

test("viv: tiles at the edge are cut, and tiles outside are no errors", async () => {
  const { values, block } = await expected("three-channels");
  const [source] = pixelSources(await openPyramid("three-channels"), { tileSize: 80 });
  const tile = await source.getTile({ x: 1, y: 1, selection: { c: 1 } });
  equal([tile.width, tile.height, tile.data.length], [48, 16, 768], "the tile's size");
  equal(tile.data[0], values[1][Math.floor(80 / block)][Math.floor(80 / block)], "its first element");
  source.onTileError(await rejects(source.getTile({ x: 2, y: 0, selection: { c: 0 } })));
});

test("viv: an aborted tile rejects as Viv expects, and is no error", async () => {
  const [source] = pixelSources(await openPyramid("three-channels"));
  const controller = new AbortController();
  const tile = source.getTile({ x: 0, y: 0, selection: { c: 0 }, signal: controller.signal });
  controller.abort();
  const error = await rejects(tile, (reason) => reason === "__vivSignalAborted");
  source.onTileError(error);
  await rejects(
    source.getRaster({ selection: { c: 0 }, signal: controller.signal }),
    (reason) => reason === error,
  );
});

test("viv: a layer that leaves aborts its tiles, which are no errors", async () => {
  const { store, signals } = endlessStore("three-channels");
  const [source] = pixelSources(await zarr.pyramid(await zarr.open(store, { kind: "group" })));
  source.getRaster = undefined; // only tiles are drawn
  const errors = [];
  const onTileError = (error) => errors.push(error);
  const layer = new MultiscaleImageLayer({ id: "endless", loader: [source], ...CHANNELS, onTileError });
  const deck = draw([layer], { zoom: 2 });
  await abortsWhen(() => deck.setProps({ layers: [] }), signals);
  equal(errors, [], "errors");
  deck.finalize();
});

test("viv: the store's error reaches the layer's onTileError", async () => {
  const group = await zarr.open(brokenStore("three-channels", "the disk is gone"), { kind: "group" });
  const [source] = pixelSources(await zarr.pyramid(group));
  source.getRaster = undefined; // only tiles are drawn
  const errors = [];
  const onTileError = (error) => errors.push(error);
  const layer = new MultiscaleImageLayer({ id: "broken", loader: [source], ...CHANNELS, onTileError });
  const deck = draw([layer], { zoom: 2 });
  const error = await until(() => errors[0], "an error of a tile");
  ok(/the disk is gone/.test(String(error)) || /the disk is gone/.test(String(error.cause)), String(error));
  ok(
    (await rejects((async () => source.onTileError(error))())) === error,
    "it is thrown without such a prop",
  );
  deck.finalize();
});

test("viv: missing values are NaN", async () => {
  const facts = await expected("north-first");
  const tas = await zarr.open(urlOf("north-first"), { path: "tas", kind: "array" });
  const [source] = pixelSources(await zarr.pyramid(tas), { decode: "cf" });
  equal([source.dtype, source.labels], ["Float32", ["time", "y", "x"]], "what it says");
  const { data, width } = await source.getRaster({ selection: { time: 1 } });
  for (const [row, line] of facts.values[1].entries())
    for (const [column, value] of line.entries())
      ok(
        value === null
          ? Number.isNaN(data[row * width + column])
          : Math.abs(data[row * width + column] - value) < 1e-3,
        `row ${row}, column ${column}: ${data[row * width + column]}, not ${value}`,
      );
});

test("viv: an array without rows and columns is refused", async () => {
  const lat = await zarr.open(urlOf("north-first"), { path: "lat", kind: "array" });
  const alone = await zarr.pyramid(lat);
  await rejects((async () => pixelSources(alone))(), ({ code }) => code === "Unsupported");
});

/**
 * Resolves to a pyramid whose levels have a quarter of the resolution each, and elements of the
 * given type.
 */
async function quartered(dtype) {
  const store = new Map();
  const multiscales = [0, 1].map((level) => ({
    path: String(level),
    coordinateTransformations: [{ type: "scale", scale: [4 ** level, 4 ** level] }],
  }));
  const axes = ["y", "x"].map((name) => ({ name, type: "space" }));
  const ome = { version: "0.5", multiscales: [{ axes, datasets: multiscales }] };
  await zarr.create(store, { attributes: { ome } });
  for (const level of [0, 1]) {
    const side = 64 / 4 ** level;
    const place = zarr.root(store).resolve(String(level));
    const array = await zarr.create(place, { shape: [side, side], chunk_shape: [16, 16], data_type: dtype });
    const type = { int64: BigInt, float16: Number }[dtype];
    await array.set(
      null,
      Array.from({ length: side }, (_, row) =>
        Array.from({ length: side }, (_, column) => type(1000 * row + column)),
      ),
    );
  }
  return zarr.pyramid(await zarr.open(store, { kind: "group" }));
}

test("viv: a resolution that the pyramid skips is every second element of a finer level", async () => {
  const sources = pixelSources(await quartered("int64"));
  equal(
    sources.map(({ shape, dtype }) => [shape, dtype]),
    [
      [[64, 64], "Float64"],
      [[32, 32], "Float64"],
      [[16, 16], "Float64"],
    ],
    "sources",
  );
  const tile = await sources[1].getTile({ x: 0, y: 0, selection: {} });
  equal(
    [tile.width, tile.height, tile.data[33], tile.data[32 * 31 + 31]],
    [32, 32, 2002, 62_062],
    "the tile",
  );
  const raster = await sources[2].getRaster({ selection: {} });
  equal([raster.width, raster.data.at(-1)], [16, 15_015], "the coarsest level's own elements");
});
