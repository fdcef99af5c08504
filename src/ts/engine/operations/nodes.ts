/**
 * Operations on nodes: they open, list, create, change, remove and describe them.
 */
import { parseDescription } from "../../model/data_type.ts";
import type { ArraySummary, NodeSummary, UnreadableSummary } from "../../model/node_summary.ts";
import type { Consolidation } from "../../port/operations.ts";
import { arrayId, arrayOf, typeOf } from "../arrays.ts";
import { type Glue, handlesOfNow, run } from "../instances.ts";
import { crossingArray, crossingSummary, crossingUnreadable, tablesOf } from "../marked.ts";
import { expectEarly, keepStore, storeId } from "../stores.ts";
import type { CallContext, OperationTable } from "./operation.ts";

/**
 * Converts a node's summary for the page, and transfers its large document.
 * `src/engine/js/describe.rs` copies it if the engine still uses it.
 */
function given(summary: NodeSummary, { give }: CallContext): NodeSummary {
  if (summary.large) give(summary.large.bytes.buffer);
  return crossingSummary(summary);
}

/**
 * The next number for consolidated metadata. The engine's numbers are negative, the page's
 * positive.
 */
let nextLoaded = -1;

/** Consolidated metadata as `src/engine/js/consolidated.rs` returns it. */
type Loaded = Omit<Consolidation, "loaded" | "ends"> & { store: number; ends: Uint8Array<ArrayBuffer> };

const likeId = (glue: Glue, like: number | undefined) =>
  like === undefined ? undefined : arrayId(glue, like);

export const nodeOperations = {
  async open({ early, ...args }, context) {
    const { store, path, kind, format, dataTypeFallback, v3First, attrs, reload } = args;
    const { signal } = context;
    const forget = early ? expectEarly(store, early) : () => {};
    const opening = run<NodeSummary>(
      (glue, settle) =>
        // biome-ignore format: the arguments of one call
        glue.open(storeId(glue, store), path, kind, format, dataTypeFallback, v3First, attrs, reload, signal, settle),
      { signal },
    );
    return given(await opening.finally(forget), context);
  },

  children: {
    begin: (glue, { store, path }, { signal }, settle) =>
      glue.children(storeId(glue, store), path, signal, settle),
    answer: (summaries: (NodeSummary | UnreadableSummary)[], context) =>
      summaries.map((summary) =>
        "error" in summary ? crossingUnreadable(summary) : given(summary, context),
      ),
  },

  unreadable: {
    begin: (glue, { store, path }, { signal }, settle) =>
      glue.unreadable(storeId(glue, store), path, signal, settle),
    answer: (summary: UnreadableSummary | undefined) => summary && crossingUnreadable(summary),
  },

  exists: {
    beginFull: (glue, { store, path }, { signal }, settle) =>
      glue.exists(storeId(glue, store), path, signal, settle),
  },

  erase: {
    finishes: true,
    beginFull: (glue, { store, path, reify }, { signal }, settle) =>
      glue.erase(storeId(glue, store), path, reify, signal, settle),
  },

  consolidate: {
    finishes: true,
    beginFull: (glue, { store, path }, { signal }, settle) =>
      glue.consolidate(storeId(glue, store), path, signal, settle),
  },

  async loadConsolidated({ store, format, key }, { signal, give }) {
    let handleOf = handlesOfNow();
    const found = await run<Loaded>(
      (glue, settle) => {
        handleOf = handlesOfNow();
        return glue.consolidatedStore(storeId(glue, store), format, key, settle);
      },
      { signal },
    );
    const loaded = nextLoaded--;
    keepStore(loaded, handleOf(found.store), store);
    const { paths, arrays, errors, warnings } = found;
    const ends = new Uint32Array(found.ends.slice().buffer);
    give(ends.buffer);
    return { loaded, paths, arrays, errors, warnings, ends };
  },

  updateAttributes: {
    finishes: true,
    beginFull: (glue, { store, path, text, replace }, { signal }, settle) =>
      glue.updateAttributes(storeId(glue, store), path, text, replace, signal, settle),
    answer: crossingSummary,
  },

  createHierarchy: {
    finishes: true,
    beginFull: (glue, { store, format, suffix, extensions }, { signal }, settle) =>
      glue.createHierarchy(storeId(glue, store), format, suffix, extensions, signal, settle),
  },

  createGroup: {
    finishes: true,
    beginFull: (glue, { store, path, format, text, overwrite }, { signal }, settle) =>
      glue.createGroup(storeId(glue, store), path, format, text, overwrite, signal, settle),
    answer: crossingSummary,
  },

  createArray: {
    finishes: true,
    beginFull(glue, { store, path, text, fill, like, codecs, overwrite }, { signal }, settle) {
      const [id, likeNumber] = [storeId(glue, store), likeId(glue, like)];
      return glue.createArray(id, path, text, fill, likeNumber, codecs, overwrite, signal, settle);
    },
    answer: crossingSummary,
  },

  describeArray: {
    compute: (glue, { document, codecs }) =>
      crossingArray(glue.describeArray(document, codecs) as ArraySummary),
  },

  describeType: {
    compute(glue, { array }) {
      arrayId(glue, array);
      const type = typeOf(glue, array);
      return { type, tables: tablesOf(type), build: arrayOf(array).bound.build };
    },
  },

  describeTypeName: {
    computeFull: (glue, { text, like }) => parseDescription(glue.describeTypeName(text, likeId(glue, like))),
  },

  isStorageTransformer: {
    computeFull: (glue, { extension }) => glue.isStorageTransformer(extension),
  },

  codecQuestion: {
    compute: (glue, { document, codecs }) => glue.codecQuestion(document, codecs),
  },

  newCodecQuestion: {
    computeFull: (glue, { options, like, codecs }) =>
      glue.newCodecQuestion(options, likeId(glue, like), codecs),
  },

  ownCodecs: {
    compute: (glue, { names }) => names.filter((name) => glue.isCodec(name)),
  },
} satisfies Partial<OperationTable>;
