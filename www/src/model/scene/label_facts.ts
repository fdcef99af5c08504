/**
 * What OME's `image-label` tells of labels: their colours, and their properties, such as the class
 * of a cell. The attributes may hold any JSON, so entries that are not valid are left out.
 */
import { shortName } from "../text/paths.js";
import { isObject, type Json, omeOf } from "./ome.js";
import type { LabelFacts, LabelProperty } from "./scene.js";

/** Maximum number of labels with a colour, because each read sends all of them to the workers. */
const MAX_COLORS = 20_000;
/** Maximum number of properties of a label, and their length, because they are in the readout. */
const MAX_PROPERTIES = 8;
const MAX_CHARACTERS = 60;

type Label = number | bigint;

const isLabel = (value: unknown): value is Label => typeof value === "bigint" || Number.isSafeInteger(value);

const isByte = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;

/** The entries of a list that are objects with a label. */
function labelled(list: unknown): { label: Label; entry: Json }[] {
  const entries: unknown[] = Array.isArray(list) ? list : [];
  return entries.flatMap((entry) => {
    const label = isObject(entry) ? entry["label-value"] : undefined;
    return isObject(entry) && isLabel(label) ? [{ label, entry }] : [];
  });
}

function colorsIn(list: unknown): Map<Label, string> {
  const colors = new Map<Label, string>();
  for (const { label, entry } of labelled(list)) {
    const { rgba } = entry;
    const isColor = Array.isArray(rgba) && rgba.length === 4 && rgba.every(isByte);
    if (!isColor || colors.size >= MAX_COLORS) continue;
    colors.set(label, `#${rgba.map((byte: number) => byte.toString(16).padStart(2, "0")).join("")}`);
  }
  return colors;
}

function textOf(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return shortName(text, MAX_CHARACTERS);
}

function propertiesIn(list: unknown): Map<string, LabelProperty[]> {
  const properties = new Map<string, LabelProperty[]>();
  for (const { label, entry } of labelled(list)) {
    const known = Object.entries(entry).filter(([name]) => name !== "label-value");
    const shown = known.slice(0, MAX_PROPERTIES);
    properties.set(
      String(label),
      shown.map(([name, value]) => ({ name: shortName(name, MAX_CHARACTERS), text: textOf(value) })),
    );
  }
  return properties;
}

const byText = (colors: ReadonlyMap<Label, string>) =>
  new Map([...colors].map(([label, color]) => [String(label), color]));

/** The facts in the attributes of a label image. */
export function labelFacts(attrs: Json): LabelFacts {
  const own = omeOf(attrs)["image-label"];
  const { colors: list, properties } = isObject(own) ? own : {};
  const colors = colorsIn(list);
  return {
    colors: colors.size > 0 ? { labels: colors } : "labels",
    colorOf: byText(colors),
    propertiesOf: propertiesIn(properties),
  };
}
