/**
 * Operations on nodes: they open, list, create, change, remove and describe them.
 */
import { parseDescription } from "../../model/data_type.ts";
import type { ArraySummary, NodeSummary, UnreadableSummary } from "../../model/node_summary.ts";
import type { Consolidation } from "../../port/operations.ts";
import type { Engine } from "../engine.ts";
import type { Glue } from "../instances.ts";
import { crossingArray, crossingSummary, crossingUnreadable, tablesOf } from "../lossless.ts";
import type { CallContext, OperationTable } from "./operation.ts";

/**
 * Converts a node's summary for the page, and transfers its large document.
 * `src/engine/js/describe.rs` copies it if the engine still uses it.
 */
function given(summary: NodeSummary, { engine, give }: CallContext): NodeSummary {
  if (summary.large) give(summary.large.bytes.buffer);
  return crossingSummary(engine.instances, summary);
}

/** Consolidated metadata as `src/engine/js/consolidated.rs` returns it. */
type Loaded = Omit<Consolidation, "loaded" | "ends"> & { store: number; ends: Uint8Array<ArrayBuffer> };

const likeId = ({ arrays }: Engine, glue: Glue, like: number | undefined) =>
  like === undefined ? undefined : arrays.id(glue, like);

/** Converts the summary of a changed or new node. */
const answerOf = (summary: NodeSummary, { engine }: CallContext): NodeSummary =>
  crossingSummary(engine.instances, summary);

export const nodeOperations = {
  async open({ early, ...args }, context) {
    const { store, path, kind, format, dataTypeFallback, v3First, attrs, reload } = args;
    const { engine, signal } = context;
    const forget = early ? engine.stores.expectEarly(store, early) : () => {};
    const opening = engine.instances.run<NodeSummary>(
      (glue, settle) =>
        // biome-ignore format: the arguments of one call
        glue.open(engine.stores.id(glue, store), path, kind, format, dataTypeFallback, v3First, attrs, reload, signal, settle),
      { signal },
    );
    return given(await opening.finally(forget), context);
  },

  children: {
    begin: (glue, { store, path }, { engine, signal }, settle) =>
      glue.children(engine.stores.id(glue, store), path, signal, settle),
    answer: (summaries: (NodeSummary | UnreadableSummary)[], context) =>
      summaries.map((summary) =>
        "error" in summary ? crossingUnreadable(context.engine.instances, summary) : given(summary, context),
      ),
  },

  unreadable: {
    begin: (glue, { store, path }, { engine, signal }, settle) =>
      glue.unreadable(engine.stores.id(glue, store), path, signal, settle),
    answer: (summary: UnreadableSummary | undefined, { engine }) =>
      summary && crossingUnreadable(engine.instances, summary),
  },

  exists: {
    beginFull: (glue, { store, path }, { engine, signal }, settle) =>
      glue.exists(engine.stores.id(glue, store), path, signal, settle),
  },

  erase: {
    finishes: true,
    beginFull: (glue, { store, path, reify }, { engine, signal }, settle) =>
      glue.erase(engine.stores.id(glue, store), path, reify, signal, settle),
  },

  consolidate: {
    finishes: true,
    beginFull: (glue, { store, path }, { engine, signal }, settle) =>
      glue.consolidate(engine.stores.id(glue, store), path, signal, settle),
  },

  async loadConsolidated({ store, format, key }, { engine, signal, give }) {
    const { instances, stores } = engine;
    let handleOf = instances.handlesOfNow();
    const found = await instances.run<Loaded>(
      (glue, settle) => {
        handleOf = instances.handlesOfNow();
        return glue.consolidatedStore(stores.id(glue, store), format, key, settle);
      },
      { signal },
    );
    const loaded = stores.keep(handleOf(found.store), store);
    const { paths, arrays, errors, warnings } = found;
    const ends = new Uint32Array(found.ends.slice().buffer);
    give(ends.buffer);
    return { loaded, paths, arrays, errors, warnings, ends };
  },

  updateAttributes: {
    finishes: true,
    beginFull: (glue, { store, path, text, replace }, { engine, signal }, settle) =>
      glue.updateAttributes(engine.stores.id(glue, store), path, text, replace, signal, settle),
    answer: answerOf,
  },

  createHierarchy: {
    finishes: true,
    beginFull: (glue, { store, format, suffix, extensions }, { engine, signal }, settle) =>
      glue.createHierarchy(engine.stores.id(glue, store), format, suffix, extensions, signal, settle),
  },

  createGroup: {
    finishes: true,
    beginFull: (glue, { store, path, format, text, overwrite }, { engine, signal }, settle) =>
      glue.createGroup(engine.stores.id(glue, store), path, format, text, overwrite, signal, settle),
    answer: answerOf,
  },

  createArray: {
    finishes: true,
    beginFull(glue, { store, path, text, fill, like, codecs, overwrite }, { engine, signal }, settle) {
      const [id, likeNumber] = [engine.stores.id(glue, store), likeId(engine, glue, like)];
      return glue.createArray(id, path, text, fill, likeNumber, codecs, overwrite, signal, settle);
    },
    answer: answerOf,
  },

  describeArray: {
    compute: (glue, { document, codecs }, { engine }) =>
      crossingArray(engine.instances, glue.describeArray(document, codecs) as ArraySummary),
  },

  describeType: {
    compute(glue, { array }, { engine }) {
      const { arrays, instances } = engine;
      arrays.id(glue, array);
      const type = arrays.typeOf(glue, array);
      return { type, tables: tablesOf(instances, type), build: arrays.of(array).bound.build };
    },
  },

  describeTypeName: {
    computeFull: (glue, { text, like }, { engine }) =>
      parseDescription(glue.describeTypeName(text, likeId(engine, glue, like))),
  },

  isStorageTransformer: {
    computeFull: (glue, { extension }) => glue.isStorageTransformer(extension),
  },

  codecQuestion: {
    compute: (glue, { document, codecs }) => glue.codecQuestion(document, codecs),
  },

  newCodecQuestion: {
    computeFull: (glue, { options, like, codecs }, { engine }) =>
      glue.newCodecQuestion(options, likeId(engine, glue, like), codecs),
  },

  ownCodecs: {
    compute: (glue, { names }) => names.filter((name) => glue.isCodec(name)),
  },
} satisfies Partial<OperationTable>;
