/**
 * `zarr-wasm/h5web` under H5Web's own `App`: its tree, its matrix and its heatmap of a field that
 * xarray wrote. Numbers are xarray's, and colours matplotlib's.
 */
import { App, DataProvider } from "@h5web/app";
import "@h5web/app/styles.css";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import * as zarr from "zarr-wasm";
import { ZarrApi } from "zarr-wasm/h5web";
import { equal, fixture, ok, rejects, test } from "../harness.mjs";
import { brokenStore, emptyElement, expected, showsColours, until, urlOf } from "./page.mjs";

/** Shows a node of a hierarchy. Returns the page's element, and a function that removes it. */
function show(api, initialPath) {
  localStorage.clear();
  const element = emptyElement(1000, 700);
  const root = createRoot(element);
  root.render(
    createElement(DataProvider, { api }, createElement(App, { initialPath, disableDarkMode: true })),
  );
  return { element, end: () => root.unmount() };
}

const openApi = async (name, options) =>
  new ZarrApi(await zarr.open(urlOf(name), { kind: "group" }), options);

const press = async (element, name) => {
  const find = () =>
    [...element.querySelectorAll('[role="tab"]')].find(({ textContent }) => textContent === name);
  (await until(find, `the tab ${name}`)).click();
};

test("H5Web: the tree lists what xarray wrote", async () => {
  const { element, end } = show(await openApi("north-first", { filepath: "air.zarr" }), "/");
  const names = () =>
    [...element.querySelectorAll('[role="treeitem"]')].map(({ textContent }) => textContent);
  await until(() => names().length >= 4, "four arrays");
  equal(names().slice(-4), ["lat", "lon", "tas", "time"], "arrays");
  end();
});

test("H5Web: the matrix shows the numbers of a slice", async () => {
  const { values } = await expected("north-first");
  const { element, end } = show(await openApi("north-first", { decode: "cf" }), "/tas");
  await press(element, "Matrix");
  const cells = await until(() => {
    const found = [...element.querySelectorAll('[role="gridcell"]')];
    return found.length > 50 && found;
  }, "cells");
  const shown = new Map();
  for (const cell of cells) {
    const [row, column] = [cell.closest("[aria-rowindex]"), cell].map((place, at) =>
      Number(place.getAttribute(at === 0 ? "aria-rowindex" : "aria-colindex")),
    );
    shown.set(`${row - 1}, ${column - 1}`, cell.textContent);
  }
  let read = 0;
  for (const [row, line] of values[0].entries())
    for (const [column, value] of line.entries()) {
      const text = shown.get(`${row}, ${column}`);
      if (text === undefined) continue; // out of sight
      // H5Web shows four digits.
      const isRight = value === null ? text === "NaN" : Math.abs(Number(text) - value) < 0.051;
      ok(isRight, `row ${row}, column ${column}: ${text}, not ${value}`);
      read += 1;
    }
  equal(read, cells.length, "cells that are compared");
  end();
});

test("H5Web: the heatmap shows the colours of a slice, without what is missing", async () => {
  const { values } = await expected("north-first");
  const { viridis } = await expected("colormaps");
  const { element, end } = show(await openApi("north-first", { decode: "cf" }), "/tas");
  await press(element, "Heatmap");
  const canvas = await until(() => element.querySelector("canvas"), "the canvas");
  const box = await until(() => {
    const found = canvas.getBoundingClientRect();
    return found.width > 320 && found; // 300 × 150 before the page has a layout
  }, "the canvas's place");
  const rows = values[0].length;
  const columns = values[0][0].length;
  const side = Math.min(box.width / columns, box.height / rows);
  const known = values[0].flat().filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const places = values[0].flatMap((line, row) =>
    line.map((value, column) => ({
      name: `row ${row}, column ${column}`,
      place: [
        box.x + box.width / 2 + (column + 0.5 - columns / 2) * side,
        // The first row is at the bottom.
        box.y + box.height / 2 - (row + 0.5 - rows / 2) * side,
      ],
      color: value === null ? [255, 255, 255] : viridis[Math.round(((value - low) / (high - low)) * 255)],
    })),
  );
  await showsColours(places);
  end();
});

test("H5Web: it shows the store's error", async () => {
  const group = await zarr.open(brokenStore("north-first", "the disk is gone"), { kind: "group" });
  const { element, end } = show(new ZarrApi(group), "/tas");
  // H5Web shows the error of the read in its own box.
  const tas = await zarr.open(group.resolve("tas"), { kind: "array" });
  const { message } = await rejects(tas.get([0, null, null]));
  await until(() => element.textContent.includes(message), `the text ${message}`);
  ok(!element.querySelector("canvas"), "there is no picture");
  end();
});

test("H5Web: an aborted value rejects with the reason, and progress ends at 1", async () => {
  const api = await openApi("north-first");
  const dataset = await api.getEntity("/tas");
  const controller = new AbortController();
  const value = api.getValue({ dataset, selection: "1,:,:" }, controller.signal);
  controller.abort(new Error("no longer wanted"));
  equal((await rejects(value)).message, "no longer wanted", "the reason");
  const shares = [];
  await api.getValue({ dataset, selection: "1,:,:" }, undefined, (share) => shares.push(share));
  ok(
    shares.every((share) => share >= 0 && share <= 1),
    `${shares}`,
  );
  await rejects(api.getEntity("/nothing"), ({ code }) => code === "NotFound");
});

test("H5Web: types, attributes and values in its words", async () => {
  const [north, api] = [await openApi("north-first", { decode: "cf" }), await openApi("north-first")];
  const [unpacked, packed] = [await north.getEntity("/tas"), await api.getEntity("/tas")];
  equal([unpacked.type.class, packed.type.class, packed.type.size], ["Float", "Integer", 16], "types");
  equal([packed.shape, packed.kind], [{ class: "Array", dims: [3, 18, 36] }, "dataset"], "shape");
  const attributes = await api.getAttrValues(packed);
  equal([attributes.units, attributes.scale_factor, attributes.add_offset], ["K", 0.01, 250], "attributes");
  const text = async (folder, path) => {
    const group = await zarr.open(fixture(`zarr-python-3/${folder}/store`), { kind: "group" });
    const own = new ZarrApi(group);
    const dataset = await own.getEntity(`/${path}`);
    return { type: dataset.type.class, value: await own.getValue({ dataset }) };
  };
  const flags = await text("dtypes-v3", "little/bool");
  equal([flags.type, flags.value.length], ["Boolean", 35], "booleans");
  const pairs = await text("dtypes-complex", "complex64-little");
  equal([pairs.type, pairs.value.length, pairs.value[0].length], ["Complex", 35, 2], "complex numbers");
  const words = await text("dtypes-text-v2", "u5-little");
  equal([words.type, typeof words.value[0]], ["String", "string"], "text");
});
