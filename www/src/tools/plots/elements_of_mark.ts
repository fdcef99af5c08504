/**
 * The elements under a mark, for files: the series of a point, the samples of a line, the box of an
 * area. Outside of a polygon they are NaN. Dimensions have the coordinates of the map.
 */
import * as zarr from "zarr-wasm";
import { coordinatesOf } from "../../model/scene/coordinates.js";
import type { Scene } from "../../model/scene/scene.js";
import type { Mark } from "../../model/state/marks.js";
import { lastPart } from "../../model/text/paths.js";
import { centreOf, countIn } from "./elements_under.js";
import { type Area, areaOf } from "./read_area.js";
import { readProfile } from "./read_profile.js";
import { elementOf, type Subject, selectionOf } from "./selecting.js";

type Numbers = zarr.TypedArray<zarr.NumberDataType | zarr.BigintDataType>;

export interface Dimension {
  name: string;
  values: ArrayLike<number> | readonly string[];
  attributes: Record<string, unknown>;
}

export interface MarkElements {
  /** The name of the variable. */
  name: string;
  attributes: Record<string, unknown>;
  dimensions: readonly Dimension[];
  shape: readonly number[];
  data: Numbers;
}

/** Maximum number of elements of a file. */
const MAX_ELEMENTS = 64_000_000;

/** Attributes that tell what values mean; others may be about how they are stored. */
const TOLD = ["units", "calendar", "standard_name", "long_name", "axis", "positive"];

const statedOf = (attrs: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(attrs).filter(([name]) => TOLD.includes(name)));

function nameOf({ array, variable, title }: Scene): string {
  return lastPart(variable ?? "") || lastPart(array.path) || title || "values";
}

async function alongAxis(
  { pyramid, axes }: Scene,
  axis: number,
  level: number,
  signal: AbortSignal,
): Promise<Dimension> {
  const { name = "", unit } = axes[axis] ?? {};
  const { array } = pyramid.levels[level] as zarr.PyramidLevel;
  const length = array.shape[axis] ?? 0;
  const coordinates = await coordinatesOf(array, axis, { pyramid, signal });
  if (!coordinates) return { name, values: Array.from({ length }, (_, at) => at), attributes: {} };
  const { values, attrs, units } = coordinates;
  const stated = units ?? unit;
  return { name, values, attributes: { ...statedOf(attrs), ...(stated !== undefined && { units: stated }) } };
}

type Elements = Pick<MarkElements, "dimensions" | "shape" | "data">;

async function ofPoint(
  subject: Subject,
  { positions }: Mark,
  along: number,
  signal: AbortSignal,
): Promise<Elements> {
  const { scene } = subject;
  const element = await elementOf(subject, positions[0] ?? [0, 0], signal);
  if (!element) throw nothingThere();
  const { column: x, row: y } = element;
  const selection = selectionOf(subject, { level: 0, x, y, along: { axis: along, entry: null } });
  const { decode, array } = scene;
  const read = decode ? array.get(selection, { decode, signal }) : array.get(selection, { signal });
  const { data, shape } = await read;
  return { data: data as Numbers, shape, dimensions: [await alongAxis(scene, along, 0, signal)] };
}

async function ofLine(subject: Subject, { positions }: Mark, signal: AbortSignal): Promise<Elements> {
  const { values, distances, unit } = await readProfile(subject, positions, signal);
  const dimension = { name: "distance", values: distances, attributes: unit ? { units: unit } : {} };
  return { data: values, shape: [values.length], dimensions: [dimension] };
}

/** Rows and columns. Where they are not those of the map, they have coordinates of their own. */
async function planeDimensions(scene: Scene, area: Area, signal: AbortSignal): Promise<Dimension[]> {
  if (!scene.warped) return mapDimensions(scene, area);
  const { plane } = scene;
  const { rows, columns } = area.box;
  const within = async (axis: number, [from, to]: readonly [number, number]) => {
    const dimension = await alongAxis(scene, axis, area.level.index, signal);
    const values = Array.from({ length: to - from }, (_, at) => dimension.values[from + at]);
    return { ...dimension, values: values as Dimension["values"] };
  };
  return Promise.all([within(plane.y, rows), within(plane.x, columns)]);
}

/** Rows and columns, with the positions of their centres on the map. */
function mapDimensions({ axes, plane, space, isUpward }: Scene, { level, box }: Area): Dimension[] {
  const list = ([from, to]: readonly [number, number], positionOf: (at: number) => number) =>
    Array.from({ length: to - from }, (_, at) => positionOf(from + at));
  const ofDegrees = space.kind === "geographic" ? "degrees" : "";
  const unit = "unit" in space ? space.unit : ofDegrees;
  const attributes = unit ? { units: unit } : {};
  const down = (row: number) => (isUpward ? 1 : -1) * centreOf(level, 0, row)[1];
  const across = (column: number) => centreOf(level, column, 0)[0];
  return [
    { name: axes[plane.y]?.name ?? "y", values: list(box.rows, down), attributes },
    { name: axes[plane.x]?.name ?? "x", values: list(box.columns, across), attributes },
  ];
}

/** The elements of an area, row by row. A polygon's are floats, because those outside are NaN. */
async function readArea(subject: Subject, area: Area, signal: AbortSignal): Promise<Numbers> {
  const { pyramid, plane, decode } = subject.scene;
  const { level, x, y, mask } = area;
  const selection = selectionOf(subject, { level: level.index, x, y });
  const { array } = pyramid.levels[level.index] as zarr.PyramidLevel;
  const options = { signal, memoryOrder: [plane.y, plane.x] };
  if (mask) {
    const { data } = await array.get(selection, { ...options, decode, as: "float64" });
    for (const [at, isInside] of mask.entries()) if (!isInside) data[at] = Number.NaN;
    return data;
  }
  const { data } = await (decode
    ? array.get(selection, { ...options, decode })
    : array.get(selection, options));
  return data as Numbers;
}

async function ofArea(subject: Subject, mark: Mark, signal: AbortSignal): Promise<Elements> {
  const { scene } = subject;
  const area = await areaOf(scene, mark, signal);
  if (!area) throw nothingThere();
  const { columns, rows } = area.box;
  const count = countIn(area.box);
  if (count > MAX_ELEMENTS)
    throw new zarr.ZarrError("Limit", "the area is too large for a file", { actual: String(count) });
  return {
    data: await readArea(subject, area, signal),
    shape: [rows[1] - rows[0], columns[1] - columns[0]],
    dimensions: await planeDimensions(scene, area, signal),
  };
}

const nothingThere = () => new zarr.ZarrError("Argument", "the mark is outside of the picture");

/** Reads the elements under a mark. `along` is the axis of a point's series. */
export async function elementsOfMark(
  subject: Subject,
  mark: Mark,
  along: number | undefined,
  signal: AbortSignal,
): Promise<MarkElements> {
  const { scene } = subject;
  const { array, decode } = scene;
  const stated = statedOf(array.attrs);
  const attributes =
    decode || !("units" in stated)
      ? { ...stated, ...(scene.unit && { units: stated.units ?? scene.unit }) }
      : stated;
  const common = { name: nameOf(scene), attributes };
  if (mark.kind === "line") return { ...common, ...(await ofLine(subject, mark, signal)) };
  if (mark.kind !== "point") return { ...common, ...(await ofArea(subject, mark, signal)) };
  if (along === undefined) throw nothingThere();
  return { ...common, ...(await ofPoint(subject, mark, along, signal)) };
}
