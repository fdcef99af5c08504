/**
 * A place in a store: the store and an absolute path. Needs no wasm.
 */
import type { AbsolutePath } from "../model/types.ts";
import { storeOf } from "../store/place.ts";

/** Percent-decodes one segment of a path; a stray "%" is a character like any other. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** `path` seen from `base`, with "." and ".." taken out; ".." stops at the root. */
function resolvePath(base: string, path: string): AbsolutePath {
  const kept = path.startsWith("/") ? [] : base.split("/");
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "." && segment !== "") kept.push(decodeSegment(segment));
  }
  return `/${kept.filter((segment) => segment !== "").join("/")}`;
}

export class Location<Store> {
  readonly store: Store;
  readonly path: AbsolutePath;

  constructor(store: Store, path: AbsolutePath = "/") {
    this.store = store;
    this.path = path;
  }

  /**
   * The place that a relative or absolute path names: ".." goes up, percent escapes are decoded,
   * "#" and "?" are plain.
   */
  resolve(path: string): Location<Store> {
    return new Location(this.store, resolvePath(this.path, path));
  }
}

export function root<Store>(store: Store): Location<Store>;
export function root(): Location<Map<string, Uint8Array>>;
/** The root of a store; without one, of a new `Map`. */
export function root(store: unknown = new Map<string, Uint8Array>()): Location<unknown> {
  return new Location(store);
}

/** The place that a URL, a store, files or a location mean. */
export function locationOf(place: unknown): Location<unknown> {
  const isLocation = typeof place === "object" && place !== null && "store" in place && "path" in place;
  return isLocation ? (place as Location<unknown>) : new Location(storeOf(place));
}
