/**
 * What the options of reads must be. It imports nothing that reads, because adapters and lazy code
 * have the tables too.
 */
import { type Rules, type RuleTable, SIGNAL } from "../../engine/ts/model/argument.ts";
import { NUMBER_VIEWS } from "../../engine/ts/model/data_type.ts";
import type { CfOptions } from "./conversion.ts";
import type { ReadOptions, WantedElements } from "./request.ts";
import type { StreamOptions } from "./stream.ts";

const CF_RULES: Rules<CfOptions> = { convention: ["cf"], valid: "a boolean", zarrFillValue: "a boolean" };

/** What the option `decode` must be. */
export const DECODE_RULE = ["cf", CF_RULES] as const;

/** What the options of all calls that read elements must be. `fetch` has a `cache` of its own. */
export const READ_RULES: Rules<ReadOptions> = {
  ...SIGNAL,
  onProgress: "a function",
  priority: "a priority",
  cache: "a text",
};

/** What the options of reads that convert elements must be. */
export const WANTED_RULES: Rules<WantedElements & ReadOptions> = {
  ...READ_RULES,
  as: ["bool", ...Object.keys(NUMBER_VIEWS), "rgba", "bytes"],
  decode: DECODE_RULE,
  window: "a list",
  gamma: "a number",
  colors: "a text or an object",
  mask: "a boolean",
};

/** What the options of reads whose result is one piece must be. */
export const GET_RULES: RuleTable = {
  ...WANTED_RULES,
  memoryOrder: "a list",
  out: "a typed array",
  useSharedArrayBuffer: "a boolean",
};

/** What the options of streams must be. */
export const STREAM_RULES: Rules<StreamOptions & WantedElements> = {
  ...WANTED_RULES,
  order: ["nearest", "c"],
  centre: "a list of numbers",
};
