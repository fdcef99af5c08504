/**
 * Begins a stream of parts. What makes the parts (`stream.ts`) is lazy code, which the first `next`
 * loads.
 */
import { lazy } from "#lazy";
import type { ArrayNode } from "../node_facts.ts";
import type { AnySelection } from "../selection.ts";
import type { WantedElements } from "./request.ts";
import type { AnyPart, PartIterator, StreamOptions } from "./stream.ts";

const done = async () => ({ value: undefined, done: true }) as const;

/** The parts of a stream that the caller leaves before the first one. */
const NONE: PartIterator = { next: done, return: done };

/**
 * Streams the parts of a selection, in the form that the options give. The read starts at the first
 * `next`.
 */
export function streamSelection(
  array: ArrayNode,
  selection: AnySelection | null | undefined,
  options: StreamOptions & WantedElements,
): AsyncIterableIterator<AnyPart> {
  let parts: Promise<PartIterator> | undefined;
  const begin = async () => (await lazy()).partsOf(array, selection, options);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      parts ??= begin();
      return (await parts).next();
    },
    async return() {
      parts ??= Promise.resolve(NONE);
      return (await parts).return();
    },
  };
}
