/** Plates of OME: wells on a grid, and the fields of a well. Read from attributes; nothing waits. */
import type { GroupNode } from "./scene.js";

export interface PlateWell {
  /** As "B03". */
  name: string;
  row: number;
  column: number;
  /** Path of the well below the plate. */
  path: string;
}

export interface Plate {
  name: string;
  rows: string[];
  columns: string[];
  wells: PlateWell[];
}

/** The plate that a group is; null where it is none. */
export const readPlate = (_group: GroupNode): Plate | null => null;

/** Paths of the fields below a well, in order; null where the group is no well. */
export const readWell = (_group: GroupNode): string[] | null => null;
