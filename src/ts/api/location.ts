/**
 * `Location`: a store and an absolute path in it. It needs no wasm.
 */
import { needReadable, needText } from "../model/argument.ts";
import type { AbsolutePath } from "../model/types.ts";
import { storeOf } from "../store/place.ts";

/** Percent-decodes one segment of a path. A "%" without two hex digits is kept. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Resolves `path` against `base`, including "." and "..". ".." stops at the root. */
function resolvePath(base: string, path: string): AbsolutePath {
  const kept = path.startsWith("/") ? [] : base.split("/");
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "." && segment !== "") kept.push(decodeSegment(segment));
  }
  return `/${kept.filter((segment) => segment !== "").join("/")}`;
}

export class Location<Store> {
  /** Survives minifying: other libraries compare it. */
  static readonly name: string = "Location";
  readonly store: Store;
  readonly path: AbsolutePath;

  constructor(store: Store, path: AbsolutePath = "/") {
    this.store = store;
    this.path = path;
  }

  /**
   * Resolves a relative or absolute path. ".." goes up, percent escapes are decoded, "#" and "?"
   * have no special meaning.
   */
  resolve(path: string): Location<Store> {
    needText(path, "path");
    return new Location(this.store, resolvePath(this.path, path));
  }
}

/** The root of a store. Default: a new `Map`. */
export function root<Store>(store: Store): Location<Store>;
export function root(): Location<Map<string, Uint8Array>>;
export function root(store: unknown = new Map<string, Uint8Array>()): Location<unknown> {
  return new Location(store);
}

/** The location for a URL, a store, files or a location. */
export function locationOf(place: unknown): Location<unknown> {
  needReadable(place, "place");
  const isLocation = typeof place === "object" && place !== null && "store" in place && "path" in place;
  if (!isLocation) return new Location(storeOf(place));
  needText((place as Location<unknown>).path, "path");
  return place as Location<unknown>;
}
