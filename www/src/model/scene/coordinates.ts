/** Reads the coordinates of a scene's axes, and writes them as text with units or dates. */
import * as zarr from "zarr-wasm";
import { shortName } from "../text/paths.js";
import { nullUnlessAborted } from "./lenient_reads.js";
import type { ArrayNode, Scene, SceneAxis } from "./scene.js";
import { coordinateText, momentText, unitText, withUnit } from "./value_text.js";

/** Maximum length of an axis whose coordinates are read. */
export const MAX_COORDINATES = 1_000_000;

/** The coordinates of an axis. Null if it has none. */
export async function coordinatesOf(
  array: ArrayNode,
  axis: number,
  options: zarr.CoordsOptions,
): Promise<zarr.Coordinates | null> {
  if ((array.shape[axis] ?? 0) > MAX_COORDINATES) return null;
  return zarr.coords(array, axis, options).catch(nullUnlessAborted(options.signal));
}

/** The text of each index: a date, or a coordinate with its unit. */
export async function textOf(coordinates: zarr.Coordinates): Promise<(index: number) => string> {
  const { length, source, units } = coordinates;
  const moments = coordinates.time ? await coordinates.moments() : [];
  const [first, last] = [Number(coordinates.value(0)), Number(coordinates.value(length - 1))];
  const [unit, step] = [unitText(units), length < 2 ? 0 : Math.abs((last - first) / (length - 1))];
  // Otherwise the coordinate repeats the index.
  const isShown = source === "variable" || unit !== "" || first !== 0 || step !== 1;
  return (index) => {
    const [moment, value] = [moments[index], coordinates.value(index)];
    if (moment) return momentText(moment);
    if (typeof value !== "number") return value ?? "";
    return Number.isNaN(value) || !isShown ? "" : withUnit(coordinateText(value, step), unit);
  };
}

/** Maximum length of a type behind the name of an axis. Longer texts are remarks. */
const LONGEST_TYPE = 20;

/** The unit of an axis, or else its type, if the name does not tell it. */
function remarkOf({ name, type = "", unit }: SceneAxis): string {
  const isShown = name.toLowerCase().includes(type.toLowerCase());
  return unitText(unit) || (isShown ? "" : shortName(type, LONGEST_TYPE));
}

/** The texts of the axes outside of the plane, as far as they are known. */
export class AxisTexts {
  /** Another axis has texts. */
  onText: () => void = () => {};
  readonly #texts = new Map<string, (index: number) => string>();
  readonly #remarks = new Map<string, string>();

  constructor(scene: Scene, signal: AbortSignal) {
    const { axes, plane } = scene;
    for (const one of axes) {
      const { name, role, axis } = one;
      this.#remarks.set(name, remarkOf(one));
      const original = one.original ?? { scene, axis };
      if (role === "c") {
        const { channels } = original.scene;
        this.#texts.set(name, (at) => channels.find(({ index }) => index === at)?.name ?? "");
      } else if (axis !== plane.x && axis !== plane.y) {
        // The picture is usable without the names of positions.
        this.#read(name, original, signal).catch(() => {});
      }
    }
  }

  async #read(
    name: string,
    { scene: { array, pyramid }, axis }: NonNullable<SceneAxis["original"]>,
    signal: AbortSignal,
  ): Promise<void> {
    const coordinates = await coordinatesOf(array, axis, { pyramid, signal });
    const text = coordinates && (await textOf(coordinates));
    if (!text || signal.aborted) return;
    this.#texts.set(name, text);
    const unit = unitText(coordinates.units);
    if (unit !== "") this.#remarks.set(name, unit);
    this.onText();
  }

  /** The name of an axis with its unit or type: "z (µm)". */
  label(name: string): string {
    const remark = this.#remarks.get(name);
    return remark ? `${name} (${remark})` : name;
  }

  text(name: string, index: number): string {
    return this.#texts.get(name)?.(index) ?? "";
  }
}
