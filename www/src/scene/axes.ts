/** The axes of a scene: names that people read, roles, and where each begins. */
import type * as zarr from "zarr-wasm";
import type { SceneAxis } from "./scene.js";

type Role = SceneAxis["role"];

const ROLE_NAMES: Record<Role, string> = { x: "x", y: "y", z: "z", t: "time", c: "channel", other: "axis" };

/** The library's name of an axis that nothing names. */
const isUnnamed = (name: string) => /^dim_\d+$/.test(name);

/** The default of a viewer's settings, as OME's `rdefs` has it. */
export interface Starts {
  z?: number | undefined;
  t?: number | undefined;
}

function startOf(role: Role, length: number, starts: Starts): number {
  const middle = Math.floor((length - 1) / 2);
  const wanted = role === "z" ? (starts.z ?? middle) : role === "t" ? (starts.t ?? 0) : 0;
  return Number.isInteger(wanted) && wanted >= 0 && wanted < length ? wanted : 0;
}

/** A name that no axis has yet. */
function uniqueName(name: string, taken: readonly string[]): string {
  for (let count = 2, own = name; ; own = `${name} ${count++}`) if (!taken.includes(own)) return own;
}

export function sceneAxes(pyramid: zarr.Pyramid, starts: Starts): SceneAxis[] {
  const shape = pyramid.levels[0]?.shape ?? [];
  const axes: SceneAxis[] = [];
  for (const [axis, { name, role, unit }] of pyramid.axes.entries()) {
    const length = shape[axis] ?? 1;
    const told = isUnnamed(name) ? (role === "other" ? `axis ${axis + 1}` : ROLE_NAMES[role]) : name;
    const own = uniqueName(
      told,
      axes.map((other) => other.name),
    );
    const start = startOf(role, length, starts);
    axes.push({ name: own, role, length, start, axis, ...(unit === undefined ? {} : { unit }) });
  }
  if (arePixels(pyramid, axes)) return asPixels(axes);
  const bands = colourBands(pyramid, axes);
  return axes.map((axis) => (axis === bands ? { ...axis, role: "c" } : axis));
}

/** Three bands of bytes, as photographs from the air have them before rows and columns. */
function colourBands(pyramid: zarr.Pyramid, axes: readonly SceneAxis[]): SceneAxis | undefined {
  if (pyramid.levels[0]?.array.dtype !== "uint8" || axes.some(({ role }) => role === "c")) return undefined;
  return axes.find(({ name, length, role }) => role === "other" && length === 3 && IS_OF_PIXELS.test(name));
}

/** Names that the last axis of pixels has in practice. */
const IS_OF_PIXELS = /^(rgb|rgba|s|samples?|bands?|c|channels?)$/i;

/**
 * Whether the last axis holds the colours of pixels: three or four bytes, without a name that says
 * otherwise.
 */
function arePixels(pyramid: zarr.Pyramid, axes: readonly SceneAxis[]): boolean {
  const [last, array] = [axes.at(-1), pyramid.levels[0]?.array];
  if (!last || array?.dtype !== "uint8" || axes.length < 3 || (last.length !== 3 && last.length !== 4))
    return false;
  const written = pyramid.axes.at(-1)?.name ?? "";
  return isUnnamed(written) || IS_OF_PIXELS.test(written);
}

/** The last axis as channels, and x and y before it where nothing else has those roles. */
function asPixels(axes: readonly SceneAxis[]): SceneAxis[] {
  const last = axes.length - 1;
  const isNamed = ["x", "y"].every((role) => axes.slice(0, last).some((axis) => axis.role === role));
  const roles: [number, Role][] = isNamed
    ? [[last, "c"]]
    : [
        [last - 2, "y"],
        [last - 1, "x"],
        [last, "c"],
      ];
  const given = new Map(roles);
  return axes.map((axis) => {
    const role = given.get(axis.axis);
    return role === undefined ? axis : { ...axis, role, name: ROLE_NAMES[role] };
  });
}
