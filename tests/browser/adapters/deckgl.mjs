/**
 * `zarr-wasm/deckgl` in deck.gl's `TileLayer`, in an `OrthographicView` and in a `MapView`. The
 * pictures are those of ome-zarr-py, ngff-zarr and xarray, the colours NumPy's and matplotlib's.
 */
import { Deck, MapView, OrthographicView } from "@deck.gl/core";
import { TileLayer } from "@deck.gl/geo-layers";
import { BitmapLayer } from "@deck.gl/layers";
import proj4 from "proj4";
import * as zarr from "zarr-wasm";
import { imageTiles, mapTiles } from "zarr-wasm/deckgl";
import { equal, ok, rejects, test } from "../harness.mjs";
import {
  abortsWhen,
  blockColours,
  brokenStore,
  emptyElement,
  endlessStore,
  expected,
  fieldColours,
  openArray,
  openPyramid,
  showsColours,
  until,
  webMapPlace,
} from "./page.mjs";

const draw = (tiles, view, initialViewState, props = {}) =>
  new Deck({
    parent: emptyElement(512, 512),
    width: 512,
    height: 512,
    views: view,
    initialViewState,
    layers: [
      new TileLayer({
        id: "tiles",
        ...tiles,
        renderSubLayers: ({ data, ...own }) => data && new BitmapLayer(own, data),
        ...props,
      }),
    ],
  });

const image = () => new OrthographicView({ id: "image" });
const map = () => new MapView({ id: "map", repeat: true });

for (const zoom of [2, 0, -1]) {
  test(`deck.gl: TileLayer draws the colours of three channels at zoom ${zoom}`, async () => {
    const tiles = imageTiles(await openPyramid("three-channels"));
    const deck = draw(tiles, image(), { zoom, target: [64, 48, 0] });
    const toPage = (x, y) => [256 + (x - 64) * 2 ** zoom, 256 + (y - 48) * 2 ** zoom];
    await showsColours(blockColours(await expected("three-channels"), toPage));
    deck.finalize();
  });
}

test("deck.gl: each zoom draws the level of its resolution", async () => {
  const { greys } = await expected("levels");
  const tiles = imageTiles(await openPyramid("levels"));
  for (const [level, grey] of greys.entries()) {
    const deck = draw(tiles, image(), { zoom: -level, target: [512, 512, 0] });
    await showsColours([{ name: `level ${level}`, place: [250, 250], color: [grey, grey, grey] }]);
    deck.finalize();
  }
});

for (const name of ["north-first", "south-first", "from-0-to-360"]) {
  test(`deck.gl: a MapView shows the field of ${name}, without what is missing`, async () => {
    const facts = await expected(name);
    const { viridis } = await expected("colormaps");
    const window = [220, 310];
    const field = await zarr.pyramid(await openArray(name, "tas"));
    const tiles = mapTiles(field, { window, colors: "viridis", at: { time: 2 }, proj4 });
    const deck = draw(tiles, map(), { zoom: 0, longitude: 0, latitude: 0 });
    await showsColours(fieldColours(facts, viridis, window, 2, webMapPlace(512)));
    deck.finalize();
  });
}

test("deck.gl: the store's error reaches onTileError", async () => {
  const group = await zarr.open(brokenStore("three-channels", "the disk is gone"), { kind: "group" });
  const errors = [];
  const onTileError = (error) => errors.push(error);
  const deck = draw(
    imageTiles(await zarr.pyramid(group)),
    image(),
    { zoom: 2, target: [64, 48, 0] },
    { onTileError },
  );
  const error = await until(() => errors[0], "an error of a tile");
  ok(
    [error, error.cause].some((said) => /the disk is gone/.test(String(said))),
    String(error),
  );
  deck.finalize();
});

test("deck.gl: an aborted tile rejects with the signal's reason", async () => {
  const { getTileData } = imageTiles(await openPyramid("three-channels"));
  const controller = new AbortController();
  const bbox = { left: 0, top: 0, right: 256, bottom: 256 };
  const tile = getTileData({ index: { x: 0, y: 0, z: 0 }, bbox, signal: controller.signal });
  controller.abort();
  equal((await rejects(tile)).name, "AbortError", "the error");
});

test("deck.gl: a layer that leaves aborts its tiles, which are no errors", async () => {
  const { store, signals } = endlessStore("three-channels");
  const tiles = imageTiles(await zarr.pyramid(await zarr.open(store, { kind: "group" })));
  const errors = [];
  const onTileError = (error) => errors.push(error);
  const deck = draw(tiles, image(), { zoom: 2, target: [64, 48, 0] }, { onTileError });
  await abortsWhen(() => deck.setProps({ layers: [] }), signals);
  equal(errors, [], "errors");
  deck.finalize();
});

test("deck.gl: labels have colours of their own, and no label none", async () => {
  const { labels, block } = await expected("labels");
  const cells = await zarr.pyramid(
    await zarr.open((await openPyramid("labels")).levels[0].array.store, {
      path: "labels/cells",
      kind: "group",
    }),
  );
  const { getTileData } = imageTiles(cells, { colors: "labels" });
  const bbox = { left: 0, top: 0, right: 256, bottom: 256 };
  const { image: picture, bounds } = await getTileData({ index: { x: 0, y: 0, z: 0 }, bbox });
  equal(bounds, [0, 32, 64, 0], "the place: left, bottom, right, top");
  const words = new Uint32Array(picture.data.buffer);
  const shown = labels.map((line, row) =>
    line.map((_, column) => words[(row + 0.5) * block * picture.width + (column + 0.5) * block]),
  );
  const byLabel = new Map();
  for (const [row, line] of labels.entries())
    for (const [column, label] of line.entries()) {
      ok((byLabel.get(label) ?? shown[row][column]) === shown[row][column], `two colours for ${label}`);
      byLabel.set(label, shown[row][column]);
    }
  equal(new Set(byLabel.values()).size, byLabel.size, "as many colours as labels");
  equal(byLabel.get(0) >>> 24, 0, "the alpha of no label");
});
