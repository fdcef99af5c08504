/**
 * Operations on nodes that do more than pass their records to the wasm: most convert JSON for the
 * page (`lossless.ts`).
 */

import type { UnreadableSummary as Unreadable } from "../../contract.ts";
import { parseDescription } from "../../model/data_type.ts";
import type { NodeSummary } from "../../model/node_summary.ts";
import { crossingArray, crossingSummary, crossingUnreadable, tablesOf } from "../lossless.ts";
import { type CallContext, type OperationTable, operate } from "./operation.ts";

/** An operation of the wasm that answers with the summary of a node. */
const summarising =
  <Name extends "updateAttributes" | "createGroup" | "createArray" | "reread">(name: Name) =>
  async (args: Parameters<typeof operate<Name>>[1], context: CallContext): Promise<NodeSummary> =>
    crossingSummary(context.engine.instances, await operate(name, args, context));

export const nodeOperations = {
  async open({ early, ...args }, context) {
    const { stores, instances } = context.engine;
    const forget = early ? stores.expectEarly(args.store, early) : () => {};
    return crossingSummary(instances, await operate("open", args, context).finally(forget));
  },

  async children(args, context) {
    const { instances } = context.engine;
    return (await operate("children", args, context)).map(({ node, unreadable }) =>
      node ? crossingSummary(instances, node) : crossingUnreadable(instances, unreadable as Unreadable),
    );
  },

  async unreadable(args, context) {
    const summary = await operate("unreadable", args, context);
    return summary && crossingUnreadable(context.engine.instances, summary);
  },

  async loadConsolidated(source, { engine, signal, give }) {
    const { instances, stores } = engine;
    let handleOf = instances.handlesOfNow();
    const { answer } = await instances.operate(
      "consolidatedStore",
      (glue) => {
        handleOf = instances.handlesOfNow();
        return { ...source, store: stores.id(glue, source.store) };
      },
      signal,
    );
    const { store, ends, ...found } = answer;
    give(ends.buffer);
    return {
      ...found,
      loaded: stores.keep(handleOf(store), source.store),
      ends: new Uint32Array(ends.buffer),
    };
  },

  updateAttributes: summarising("updateAttributes"),
  createGroup: summarising("createGroup"),
  createArray: summarising("createArray"),
  reread: summarising("reread"),

  async describeArray(args, context) {
    return crossingArray(context.engine.instances, await operate("describeArray", args, context));
  },

  describeType: ({ array }, { engine: { arrays, instances } }) =>
    instances.call((glue) => {
      const type = arrays.typeOf(glue, array);
      return { type, tables: tablesOf(instances, type), build: arrays.of(array).bound.build };
    }),

  async describeTypeName(args, context) {
    return parseDescription(await operate("describeTypeName", args, context));
  },
} satisfies OperationTable;
