/** Reads attributes of nodes, which may hold any JSON. */

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** OME's attributes, which are in `ome` since 0.5. */
export const omeOf = (attrs: Json): Json => (isObject(attrs.ome) ? attrs.ome : attrs);
