/** The colours of chunks by stored size, presence or age, with what the colours mean. */

import type { LevelPlace } from "zarr-wasm/openlayers";
import { colormapColors } from "../../model/scene/colormaps.js";
import type { Scene } from "../../model/scene/scene.js";
import { bytesText } from "../../model/text/numbers.js";
import type { Cell, CellsInView } from "./chunk_cells.js";
import type { Colouring } from "./colouring.js";
import type { MapCell, MapCells } from "./grid_layer.js";
import type { StoredFacts } from "./stored_facts.js";

/** The colours and the ends of their scale, as text. */
export interface Key {
  colors: readonly string[];
  low: string;
  high: string;
}

const SHADES = 32;
const OPACITY = "a6";

const scale = (name: string) => colormapColors(name, SHADES).map(hexOf);
const SIZE = scale("viridis");
const AGE = scale("plasma").reverse();
const PRESENT = "#0e7c86";

/** Colours of d3 are `rgb(…)` or `#…`. */
function hexOf(color: string): string {
  const parts = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(color)?.slice(1);
  return parts ? `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}` : color;
}

interface Measured {
  cell: Cell;
  bytes: number | null | undefined;
  /** The time of the last change in ms. */
  changed: number | undefined;
}

/** What is known of the chunks in view. */
export function measuredCells({ array, chunks }: CellsInView, facts: StoredFacts): Measured[] {
  return chunks.map((cell) => {
    const stored = facts.of(array, cell.index);
    return { cell, bytes: stored?.bytes, changed: stored?.changed?.getTime() };
  });
}

/** The range of numbers; equal ends if there is none. */
function rangeOf(numbers: readonly (number | null | undefined)[]): [number, number] {
  const known = numbers.filter((number) => typeof number === "number");
  return known.length === 0 ? [0, 0] : [Math.min(...known), Math.max(...known)];
}

const shade = (shades: readonly string[], value: number, [low, high]: readonly [number, number]) =>
  shades[high > low ? Math.round(((value - low) / (high - low)) * (SHADES - 1)) : 0] ?? "";

/** The cells on the map, and the key of their colours. */
export function colouredCells(
  cells: CellsInView,
  facts: StoredFacts,
  colouring: Colouring,
  { scene, level }: { scene: Scene; level: number },
): { map: MapCells; key: Key | null } {
  const measured = measuredCells(cells, facts);
  const sizes = rangeOf(measured.map(({ bytes }) => bytes));
  const ages = rangeOf(measured.map(({ changed }) => changed));
  const fillOf = ({ bytes, changed }: Measured): string => {
    if (typeof bytes !== "number") return "";
    if (colouring === "presence") return PRESENT + OPACITY;
    if (colouring === "size") return shade(SIZE, bytes, sizes) + OPACITY;
    return changed === undefined ? "" : shade(AGE, changed, ages) + OPACITY;
  };
  const lies = scene.places[level] as LevelPlace;
  const length = cells.array.shape[scene.plane.x] ?? 1;
  const onMap = (cell: Cell, look: Omit<MapCell, "extent">) =>
    extentsOf(cell, lies, length).map((extent) => ({ ...look, extent }));
  const chunks = measured.flatMap((own) =>
    onMap(own.cell, { fill: fillOf(own), isMissing: own.bytes === null, text: textOf(own, colouring) }),
  );
  const shards = cells.shards.flatMap((cell) => onMap(cell, { fill: "", isMissing: false, text: "" }));
  return { map: { chunks, shards }, key: keyOf(colouring, sizes, ages) };
}

function textOf({ bytes, changed }: Measured, colouring: Colouring): string {
  if (bytes === null) return "missing";
  if (colouring === "age") return changed === undefined ? "" : dateText(changed);
  return typeof bytes === "number" ? bytesText(bytes) : "";
}

const dateText = (time: number) => new Date(time).toISOString().slice(0, 16).replace("T", " ");

function keyOf(
  colouring: Colouring,
  sizes: readonly [number, number],
  ages: readonly [number, number],
): Key | null {
  if (colouring === "presence") return { colors: [PRESENT, PRESENT], low: "stored", high: "" };
  if (colouring === "size") return { colors: SIZE, low: bytesText(sizes[0]), high: bytesText(sizes[1]) };
  return ages[1] > 0 ? { colors: AGE, low: dateText(ages[0]), high: dateText(ages[1]) } : null;
}

/** A cell on the map. In a world that is drawn from its middle, it may be in two pieces. */
function extentsOf({ x, y }: Cell, lies: LevelPlace, length: number): MapCell["extent"][] {
  const roll = lies.roll ?? 0;
  const pieces: [number, number][] =
    x[0] < roll && x[1] > roll
      ? [
          [x[0], roll],
          [roll, x[1]],
        ]
      : [[x[0], x[1]]];
  const vertical = edges(lies.y, y);
  return pieces.map((piece) => {
    const shift = piece[0] < roll ? length - roll : -roll;
    const across = edges(lies.x, [piece[0] + shift, piece[1] + shift]);
    return [across[0], vertical[0], across[1], vertical[1]];
  });
}

/** The lower and the upper edge of elements. */
function edges({ start, step }: LevelPlace["x"], [from, to]: readonly [number, number]): [number, number] {
  const ends = [start + (from - 0.5) * step, start + (to - 0.5) * step] as const;
  return [Math.min(...ends), Math.max(...ends)];
}
