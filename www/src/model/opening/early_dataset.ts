/**
 * The data set of the page's URL, which opens while the page's main script loads. The viewer takes
 * it when it opens its first data set.
 */
import { type Dataset, openDataset } from "./dataset.js";
import { type Source, sourceOf } from "./source.js";

interface EarlyDataset {
  source: Promise<Source>;
  dataset: Promise<Dataset>;
}

/** Other addresses may name a document, or the user may have to answer a question first. */
const HIERARCHY = /^[^?#]*\.zarr\/?$/i;

let begun: (EarlyDataset & { key: string; controller: AbortController }) | undefined;

/** Begins to open the data set at an address. Does nothing for an address of another kind. */
export function openEarly(key: string, base: string): void {
  if (!HIERARCHY.test(key)) return;
  const controller = new AbortController();
  const { signal } = controller;
  const source = sourceOf(key, { base, ask: async () => {}, signal });
  const dataset = source.then((own) => openDataset(own, signal));
  // The viewer awaits the same promise and reports the error.
  dataset.catch(() => {});
  begun = { key, controller, source, dataset };
}

/**
 * Returns the data set that `openEarly` began to open, if it has this address. Only the first call
 * returns it. Aborting the signal stops it from opening.
 */
export function takeEarly(key: string, signal: AbortSignal): EarlyDataset | undefined {
  const taken = begun;
  begun = undefined;
  if (taken?.key !== key) {
    taken?.controller.abort();
    return undefined;
  }
  signal.addEventListener("abort", () => taken.controller.abort(signal.reason), { once: true });
  return taken;
}
