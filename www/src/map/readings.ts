/**
 * Describes a point of a picture as text: indices, coordinates, and the visible values.
 */

import type Projection from "ol/proj/Projection.js";
import { toLonLat } from "ol/proj.js";
import type { TileReading } from "zarr-wasm/openlayers";
import type { AxisTexts } from "../model/scene/coordinates.js";
import { isPacked } from "../model/scene/lenient_reads.js";
import type { LabelFacts, LabelProperty, Scene, SceneLabel } from "../model/scene/scene.js";
import { coordinateText, unitText, valueText, withUnit } from "../model/scene/value_text.js";

/** The values at a point of the picture, as text. */
export interface Reading {
  /** The point on the map, in its coordinates. */
  place: readonly [x: number, y: number];
  /**
   * The indices in that level, in the order of the array, without channels. -1 for an index that is
   * not yet known.
   */
  index: { name: string; index: number }[];
  /** The coordinates of axes, with units. */
  coordinates: { name: string; text: string }[];
  /**
   * The values of the visible channels, with units: "no data" if missing, "…" if it is being read.
   * Labels have the properties that the metadata gives them.
   */
  values: ReadingValue[];
}

export interface ReadingValue {
  name: string;
  text: string;
  /** The number without its unit: NaN if it is missing, undefined if it is being read. */
  value: TileReading["values"][number]["value"];
  color?: string;
  properties?: readonly LabelProperty[];
}

/** `signs` are the letters of positive and of negative degrees. */
function degreesText(value: number, step: number, signs: "NS" | "EW"): string {
  const text = coordinateText(Math.abs(value), step);
  return Number(text) === 0 ? "0°" : `${text}°${signs[value < 0 ? 1 : 0]}`;
}

/** The names of the map's coordinates: those of the axes if these are parallel. */
function axisNames({ space, axes, plane, warped }: Scene): [x: string, y: string] {
  const [x, y] = [axes[plane.x]?.name ?? "x", axes[plane.y]?.name ?? "y"];
  const isAlong = !warped || (/^lon/i.test(x) && /^lat/i.test(y));
  if (isAlong || space.kind === "index" || space.kind === "physical") return [x, y];
  return space.kind === "geographic" ? ["longitude", "latitude"] : ["easting", "northing"];
}

/** The coordinates of a point of the map as text. */
function mapCoordinates({ scene, projection, place: [x, y], step }: RawReading): Reading["coordinates"] {
  const { space, isUpward } = scene;
  const [nameX, nameY] = axisNames(scene);
  const texts = (across: string, up: string) => [
    { name: nameY, text: up },
    { name: nameX, text: across },
  ];
  if (space.kind === "index") return [];
  if (space.kind === "geographic") {
    const longitude = ((((x + 180) % 360) + 360) % 360) - 180;
    return texts(degreesText(longitude, step, "EW"), degreesText(y, step, "NS"));
  }
  const unit = unitText(space.unit);
  const lengthText = (value: number) => withUnit(coordinateText(value, step), unit);
  const plain = texts(lengthText(x), lengthText(isUpward ? y : -y));
  const [longitude = Number.NaN, latitude = Number.NaN] =
    space.kind === "projected" ? toLonLat([x, y], projection) : [];
  if (!Number.isFinite(longitude + latitude)) return plain;
  return [
    { name: "latitude", text: degreesText(latitude, 0.001, "NS") },
    { name: "longitude", text: degreesText(longitude, 0.001, "EW") },
    ...plain,
  ];
}

const textOf = (value: TileReading["values"][number]["value"], dtype: string, unit: string): string => {
  if (value === undefined) return "…";
  if (typeof value === "number" && Number.isNaN(value)) return "no data";
  return withUnit(valueText(value, dtype), unit);
};

/** The data type of unpacked values, which limits the number of digits. */
const typeOf = ({ array, decode }: Scene): string =>
  decode !== undefined && isPacked(array) ? "float32" : array.dtype;

/** What is known of a point. */
export interface RawReading {
  scene: Scene;
  /** The indices by name of axis. */
  at: Record<string, number>;
  projection: Projection;
  texts: AxisTexts;
  /** The point on the map, and the side of an element there. */
  place: [x: number, y: number];
  step: number;
  /** The values of the picture, and of the labels above it. */
  image: TileReading;
  labels: readonly { label: SceneLabel; facts?: LabelFacts; reading: TileReading | null }[];
  /** Whether values that were not cached have been read. */
  isRead?: boolean;
}

/** The indices of a point, without channels. */
function indicesOf({ scene: { axes, warped, plane }, image, isRead }: RawReading): Reading["index"] {
  const isOfPlane = (axis: number) => axis === plane.x || axis === plane.y;
  return axes.flatMap(({ name, axis }) => {
    const index = image.index[axis] ?? -1;
    const isAwaited = warped !== undefined && !isRead && isOfPlane(axis);
    return index >= 0 || isAwaited ? [{ name, index }] : [];
  });
}

/** Whether something at a point must be read, such as the index in a warped map. */
export const isIncomplete = ({ scene, image, labels, isRead }: RawReading): boolean =>
  (scene.warped !== undefined && !isRead) ||
  [image, ...labels.map(({ reading }) => reading)].some((reading) =>
    reading?.values.some(({ value }) => value === undefined),
  );

/** The text of a label, its colour and its properties. */
function labelText(name: string, reading: TileReading | null, facts?: LabelFacts): ReadingValue {
  const value = reading?.values[0]?.value;
  if (value === undefined) return { name, text: "…", value };
  const [color, properties] = [facts?.colorOf.get(String(value)), facts?.propertiesOf.get(String(value))];
  return { name, text: value ? String(value) : "none", value, color, properties };
}

/** The texts of a point: values of channels or the field, and of labels. */
function valueTexts({ scene, image, labels }: RawReading): Reading["values"] {
  const [dtype, { channels }] = [typeOf(scene), scene];
  const byChannel = new Map(image.values.map(({ channel, value }) => [channel, value]));
  const channelReading = (channel: number) => {
    const value = byChannel.get(channel);
    return { value, text: textOf(value, dtype, scene.unit) };
  };
  const ofChannels = channels
    .filter(({ visible }) => visible)
    .map(({ index, name, color }) => ({ name, color, ...channelReading(index) }));
  const ofElement =
    scene.kind === "labels"
      ? labelText("label", image, scene.labelFacts)
      : { name: scene.title, ...channelReading(0) };
  const own = channels.length > 0 ? ofChannels : [ofElement];
  return [...own, ...labels.map(({ label, facts, reading }) => labelText(label.name, reading, facts))];
}

/** The reading of a point. */
export function readingOf(found: RawReading): Reading {
  const { scene, at, texts, place } = found;
  const others = scene.axes.filter(({ role }) => role !== "c");
  const named = others.map(({ name }) => ({ name, text: texts.text(name, at[name] ?? 0) }));
  return {
    place,
    index: indicesOf(found),
    coordinates: [...named.filter(({ text }) => text !== ""), ...mapCoordinates(found)],
    values: valueTexts(found),
  };
}
