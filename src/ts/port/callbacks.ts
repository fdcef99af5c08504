/**
 * What crosses the port when the engine calls a function of the page: a custom `fetch`, a codec
 * that is a function, a storage transformer.
 */
import type { BodyLimits, Exceeded } from "../model/body.ts";
import type { JsonText } from "../model/node_summary.ts";
import type { HeaderPairs } from "./definitions.ts";

/** A request for a custom `fetch`. */
export interface RequestParts {
  url: string;
  method: string;
  headers: HeaderPairs;
  body: ArrayBuffer | undefined;
  init: RequestInit;
  limits: BodyLimits | undefined;
}

/** A response of a `fetch` of the page. Its body has been read. */
export interface ResponseParts {
  status: number;
  url: string;
  redirected: boolean;
  headers: HeaderPairs;
  body: ArrayBuffer;
  /** Set if the body is longer than its limit, and was not read. */
  exceeded?: Exceeded;
}

/** The answer of a codec: bytes, or the report of one that returned an invalid value. */
export type CodecResult = Uint8Array<ArrayBuffer> | { report: string };

/** The array for which a storage transformer is made, and the transformer's metadata. */
export interface TransformerPlace {
  extension: string;
  type: JsonText;
  configuration?: JsonText;
  prefix: string;
  gridShape: number[];
  separator: string;
}
