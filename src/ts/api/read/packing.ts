/**
 * CF's packed values: what an array's attributes make of its elements, as the conventions' module
 * reads them (`src/convention/cf/packing.rs`). The words are for the engine; nothing here looks
 * into them.
 */
import type { NumberType } from "../../model/data_type.ts";
import { exactJson } from "../../model/exact_json.ts";
import { factsOf, type NodeLike } from "../../model/node_like.ts";
import { ask } from "../../port/convention.ts";

/** How values are unpacked by CF. */
export interface CfOptions {
  convention: "cf";
  /**
   * Mask what is outside of `valid_min`, `valid_max` and `valid_range`; true unless given. xarray
   * leaves such values alone.
   */
  valid?: boolean;
  /**
   * Take the fill value of a version 2 array for `_FillValue` where no attribute says it, as xarray
   * does; true unless given.
   */
  zarrFillValue?: boolean;
}

export interface Packing {
  words: number[];
  /** The type of numbers that the elements become. */
  to: NumberType | "bool";
}

/** What the question needs of an array. */
export interface PackedNode extends NodeLike {
  readonly fillValue?: unknown;
  /** The attributes with exact integers, where the node can tell them. */
  attributes?(options: { bigint: boolean }): NodeLike["attrs"];
}

/** A fill value as JSON; of elements that are no numbers there is none. */
function fillOf(fill: unknown): unknown {
  if (typeof fill === "boolean" || typeof fill === "bigint" || typeof fill === "number") return fill;
  return undefined;
}

/** How elements of a data type are unpacked; null where the attributes say nothing of it. */
export async function packingOf(
  node: PackedNode,
  dataType: string,
  { valid = true, zarrFillValue = true }: Partial<CfOptions>,
): Promise<Packing | null> {
  const attrs = typeof node.attributes === "function" ? node.attributes({ bigint: true }) : node.attrs;
  const { text } = factsOf({ kind: "array", attrs, shape: [], chunks: [] });
  const stands = zarrFillValue && node.zarrFormat === 2;
  const wanted = exactJson({
    dataType,
    ignoreValid: !valid,
    fillValue: stands ? fillOf(node.fillValue) : undefined,
  });
  return ask<Packing | null>(`{"verb":"packing","wanted":${wanted},"node":${text}}`);
}
