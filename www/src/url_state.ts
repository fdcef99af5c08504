/**
 * What the page shows, as the query of its own address: a copied address opens the same picture.
 *
 * `source` the data set, `path` the node in it, `plane` the dimension drawn across and down, `at` the index in every dimension
 * (those of the plane too: they count once the axes are swapped), `contrast` the two limits (none: automatic), `colours` the
 * colour map, `view` the middle of the view in elements and the pixels an element takes.
 */

import type { Camera } from "./plane_view.js";

export interface UrlState {
  source?: string;
  path?: string;
  plane?: { x: number; y: number };
  at?: number[];
  contrast?: { low: number; high: number };
  colours?: string;
  view?: Camera;
}

export function readUrlState(query: string): UrlState {
  const parameters = new URLSearchParams(query);
  const state: UrlState = {};
  const source = parameters.get("source");
  if (source) state.source = source;
  const path = parameters.get("path");
  if (path !== null) state.path = path;
  const colours = parameters.get("colours");
  if (colours) state.colours = colours;
  const [x, y] = numbers(parameters, "plane", 2);
  if (isIndex(x) && isIndex(y) && x !== y) state.plane = { x, y };
  const at = numbers(parameters, "at");
  if (at.length > 0 && at.every(isIndex)) state.at = at;
  const [low, high] = numbers(parameters, "contrast", 2);
  if (low !== undefined && high !== undefined && low < high) state.contrast = { low, high };
  const [column, row, scale] = numbers(parameters, "view", 3);
  if (column !== undefined && row !== undefined && scale !== undefined && scale > 0) {
    state.view = { x: column, y: row, scale };
  }
  return state;
}

/** The query for a state, readable: slashes and commas stay as they are. */
export function writeUrlState(state: UrlState): string {
  const parameters = new URLSearchParams();
  if (state.source !== undefined) parameters.set("source", state.source);
  if (state.path !== undefined) parameters.set("path", state.path);
  if (state.plane) parameters.set("plane", `${state.plane.x},${state.plane.y}`);
  if (state.at) parameters.set("at", state.at.join(","));
  if (state.contrast) parameters.set("contrast", `${state.contrast.low},${state.contrast.high}`);
  if (state.colours !== undefined) parameters.set("colours", state.colours);
  if (state.view) {
    const { x, y, scale } = state.view;
    parameters.set("view", [x.toFixed(1), y.toFixed(1), scale.toPrecision(4)].map(Number).join(","));
  }
  return `?${parameters.toString().replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":")}`;
}

/** The finite numbers of a parameter; none when one of them is not, or when their count is not the asked one. */
function numbers(parameters: URLSearchParams, name: string, count?: number): number[] {
  const text = parameters.get(name);
  if (!text) return [];
  const values = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  return values.every(Number.isFinite) && (count === undefined || values.length === count) ? values : [];
}

function isIndex(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}
