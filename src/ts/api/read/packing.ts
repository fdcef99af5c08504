/**
 * CF's packed values. The conventions module reads the array's attributes
 * (`src/convention/cf/packing.rs`). Its answer goes to the engine unchanged.
 */
import type { NumberType } from "../../model/data_type.ts";
import { exactJson } from "../../model/exact_json.ts";
import { factsOf, type NodeLike } from "../../model/node_like.ts";
import { ask } from "../../port/convention.ts";

/** Options for unpacking values by CF. */
export interface CfOptions {
  convention: "cf";
  /**
   * Whether to mask values outside of `valid_min`, `valid_max` and `valid_range`. xarray does not.
   * Default: true.
   */
  valid?: boolean;
  /**
   * Whether the fill value of a v2 array serves as `_FillValue` if no attribute gives one, as in
   * xarray. Default: true.
   */
  zarrFillValue?: boolean;
}

export interface Packing {
  words: number[];
  /** The data type to which elements are converted. */
  to: NumberType | "bool";
}

/** The used part of an array. */
export interface PackedNode extends NodeLike {
  readonly fillValue?: unknown;
  /** Returns the attributes with exact integers, if the node has such a method. */
  attributes?(options: { bigint: boolean }): NodeLike["attrs"];
}

/** The fill value as JSON; undefined for elements that are not numbers. */
function fillOf(fill: unknown): unknown {
  if (typeof fill === "boolean" || typeof fill === "bigint" || typeof fill === "number") return fill;
  return undefined;
}

/** How to unpack the elements; null if the attributes do not say so. */
export async function packingOf(
  node: PackedNode,
  dataType: string,
  { valid = true, zarrFillValue = true }: Partial<CfOptions>,
): Promise<Packing | null> {
  const attrs = typeof node.attributes === "function" ? node.attributes({ bigint: true }) : node.attrs;
  const { text } = factsOf({ kind: "array", attrs, shape: [], chunks: [] });
  const stands = zarrFillValue && node.zarrFormat === 2;
  const wanted = exactJson(
    {
      dataType,
      ignoreValid: !valid,
      fillValue: stands ? fillOf(node.fillValue) : undefined,
    },
    "decode",
  );
  return ask<Packing | null>(`{"operation":"packing","wanted":${wanted},"node":${text}}`);
}
