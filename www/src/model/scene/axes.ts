/** Makes the axes of a scene: readable names, roles, and first indices. */
import type * as zarr from "zarr-wasm";
import { shortName } from "../text/paths.js";
import type { SceneAxis } from "./scene.js";

type Role = SceneAxis["role"];

const ROLE_NAMES: Record<Role, string> = { x: "x", y: "y", z: "z", t: "time", c: "channel", other: "axis" };

/** The package's name of an axis without a name. */
const isUnnamed = (name: string) => /^dim_\d+$/.test(name);

/** Maximum length of a name, which each control of the axis repeats. */
const MAX_CHARACTERS = 100;

/** The default indices in OME's `rdefs`. */
export interface Starts {
  z?: number;
  t?: number;
}

function startOf(role: Role, length: number, starts: Starts): number {
  const middle = Math.floor((length - 1) / 2);
  const wanted = role === "z" ? (starts.z ?? middle) : (role === "t" && starts.t) || 0;
  return Number.isInteger(wanted) && wanted >= 0 && wanted < length ? wanted : 0;
}

/** A name that no other axis has. */
function uniqueName(name: string, taken: readonly string[]): string {
  for (let count = 2, own = name; ; own = `${name} ${count++}`) if (!taken.includes(own)) return own;
}

export function sceneAxes(pyramid: zarr.Pyramid, starts: Starts): SceneAxis[] {
  const shape = pyramid.levels[0]?.shape ?? [];
  const axes: SceneAxis[] = [];
  for (const [axis, { name, role, type, unit }] of pyramid.axes.entries()) {
    const length = shape[axis] ?? 1;
    const usual = role === "other" ? `axis ${axis + 1}` : ROLE_NAMES[role];
    const label = isUnnamed(name) ? usual : name;
    const own = uniqueName(
      shortName(label, MAX_CHARACTERS),
      axes.map((other) => other.name),
    );
    const start = startOf(role, length, starts);
    axes.push({ name: own, role, length, start, axis, type, unit });
  }
  return axes;
}
