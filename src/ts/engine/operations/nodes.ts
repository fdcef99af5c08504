/**
 * Operations on nodes: they open, list, create, change, remove and describe them.
 */
import { parseDescription, type TypeDescription } from "../../model/data_type.ts";
import type { ArraySummary, NodeSummary, UnreadableSummary } from "../../model/node_summary.ts";
import type { Consolidation } from "../../port/operations.ts";
import { arrayId, arrayOf, typeOf } from "../arrays.ts";
import { call, callFull, type Glue, handlesOfNow, needFull, run, runFull } from "../instances.ts";
import { crossingArray, crossingSummary, crossingUnreadable, tablesOf } from "../marked.ts";
import { expectEarly, keepStore, storeId } from "../stores.ts";
import type { CallContext, Handlers } from "./context.ts";

type Names =
  | "open"
  | "children"
  | "unreadable"
  | "exists"
  | "erase"
  | "consolidate"
  | "loadConsolidated"
  | "updateAttributes"
  | "createHierarchy"
  | "createGroup"
  | "createArray"
  | "describeArray"
  | "describeType"
  | "describeTypeName"
  | "isStorageTransformer"
  | "codecQuestion"
  | "newCodecQuestion"
  | "ownCodecs";

const summarised = async (summary: Promise<NodeSummary>): Promise<NodeSummary> =>
  crossingSummary(await summary);

/**
 * Transfers the large document of a node. `src/js/describe.rs` copies it if the engine still uses
 * it.
 */
function giveLarge({ large }: NodeSummary, give: CallContext["give"]): void {
  if (large) give(large.bytes.buffer);
}

/**
 * The next number for consolidated metadata. The engine's numbers are negative, the page's
 * positive.
 */
let nextLoaded = -1;

/** Consolidated metadata as `src/js/consolidated.rs` returns it. */
type Loaded = Omit<Consolidation, "loaded" | "ends"> & { store: number; ends: Uint8Array<ArrayBuffer> };

const likeId = (glue: Glue, like: number | undefined) =>
  like === undefined ? undefined : arrayId(glue, arrayOf(like));

export const nodeOperations: Handlers<Names> = {
  async open({ early, ...args }, { signal, give }) {
    const { store, path, kind, format, dataTypeFallback, v3First, attrs, reload } = args;
    const forget = early ? expectEarly(store, early) : () => {};
    const opened = run<NodeSummary>(signal, (glue, settle) =>
      // biome-ignore format: the arguments of one call
      glue.open(storeId(glue, store), path, kind, format, dataTypeFallback, v3First, attrs, reload, signal, settle),
    );
    const summary = await summarised(opened.finally(forget));
    giveLarge(summary, give);
    return summary;
  },

  async children({ store, path }, { signal, give }) {
    const summaries = await run<(NodeSummary | UnreadableSummary)[]>(signal, (glue, settle) =>
      glue.children(storeId(glue, store), path, signal, settle),
    );
    return summaries.map((summary) => {
      if ("error" in summary) return crossingUnreadable(summary);
      giveLarge(summary, give);
      return crossingSummary(summary);
    });
  },

  async unreadable({ store, path }, { signal }) {
    const summary = await run<UnreadableSummary | undefined>(signal, (glue, settle) =>
      glue.unreadable(storeId(glue, store), path, signal, settle),
    );
    return summary && crossingUnreadable(summary);
  },

  exists({ store, path }, { signal }) {
    return runFull(signal, (glue, settle) => glue.exists(storeId(glue, store), path, signal, settle));
  },

  erase({ store, path, reify }, { signal }) {
    return runFull(
      signal,
      (glue, settle) => glue.erase(storeId(glue, store), path, reify, signal, settle),
      "finish",
    );
  },

  consolidate({ store, path }, { signal }) {
    return runFull(
      signal,
      (glue, settle) => glue.consolidate(storeId(glue, store), path, signal, settle),
      "finish",
    );
  },

  async loadConsolidated({ store, format, key }, { signal, give }) {
    let handleOf = handlesOfNow();
    const found = await run<Loaded>(signal, (glue, settle) => {
      handleOf = handlesOfNow();
      return glue.consolidatedStore(storeId(glue, store), format, key, settle);
    });
    const loaded = nextLoaded--;
    keepStore(loaded, handleOf(found.store), store);
    const { paths, arrays, errors, warnings } = found;
    const ends = new Uint32Array(found.ends.slice().buffer);
    give(ends.buffer);
    return { loaded, paths, arrays, errors, warnings, ends };
  },

  updateAttributes({ store, path, text, replace }, { signal }) {
    const updated = runFull<NodeSummary>(
      signal,
      (glue, settle) => glue.updateAttributes(storeId(glue, store), path, text, replace, signal, settle),
      "finish",
    );
    return summarised(updated);
  },

  createHierarchy({ store, format, suffix, extensions }, { signal }) {
    return runFull(
      signal,
      (glue, settle) =>
        glue.createHierarchy(storeId(glue, store), format, suffix, extensions, signal, settle),
      "finish",
    );
  },

  createGroup({ store, path, format, text, overwrite }, { signal }) {
    const created = runFull<NodeSummary>(
      signal,
      (glue, settle) => glue.createGroup(storeId(glue, store), path, format, text, overwrite, signal, settle),
      "finish",
    );
    return summarised(created);
  },

  createArray({ store, path, text, fill, like, codecs, overwrite }, { signal }) {
    const created = runFull<NodeSummary>(
      signal,
      (glue, settle) => {
        const [id, likeNumber] = [storeId(glue, store), likeId(glue, like)];
        return glue.createArray(id, path, text, fill, likeNumber, codecs, overwrite, signal, settle);
      },
      "finish",
    );
    return summarised(created);
  },

  async describeArray({ document, codecs }) {
    return crossingArray((await call((glue) => glue.describeArray(document, codecs))) as ArraySummary);
  },

  async describeType({ array }) {
    const known = arrayOf(array);
    const type = await call((glue) => {
      arrayId(glue, known);
      return typeOf(glue, known);
    });
    return { type, tables: tablesOf(type), build: known.bound.build };
  },

  describeTypeName({ text, like }): Promise<TypeDescription> {
    return callFull((glue) => parseDescription(glue.describeTypeName(text, likeId(glue, like))));
  },

  isStorageTransformer({ extension }) {
    return callFull((glue) => glue.isStorageTransformer(extension));
  },

  codecQuestion({ document, codecs }) {
    return call((glue) => glue.codecQuestion(document, codecs));
  },

  newCodecQuestion({ options, like, codecs }) {
    return call((glue) => needFull(glue).newCodecQuestion(options, likeId(glue, like), codecs));
  },

  ownCodecs({ names }) {
    return call((glue) => names.filter((name) => glue.isCodec(name)));
  },
};
