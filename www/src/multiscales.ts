/**
 * The levels of a picture pyramid, as a group's attributes list them: OME-Zarr (`ome.multiscales`, before 0.5 `multiscales`)
 * and its relatives that use the same `datasets` list. Names the arrays only; scales and units are not read here.
 */

export interface Multiscale {
  /** Paths of the level arrays below the group, finest first. */
  paths: string[];
  axes: string[];
}

export function readMultiscale(attributes: unknown): Multiscale | null {
  const owner = field(attributes, "ome") ?? attributes;
  const list = field(owner, "multiscales");
  const first: unknown = globalThis.Array.isArray(list) ? list[0] : undefined;
  const paths = strings(field(first, "datasets"), "path");
  if (paths.length === 0) return null;
  return { paths, axes: strings(field(first, "axes"), "name") };
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** The named text of every entry; entries of OME-Zarr 0.3 axes are the bare text itself. */
function strings(list: unknown, name: string): string[] {
  if (!globalThis.Array.isArray(list)) return [];
  const found = list.map((entry: unknown) => (typeof entry === "string" ? entry : field(entry, name)));
  return found.filter((entry): entry is string => typeof entry === "string");
}
