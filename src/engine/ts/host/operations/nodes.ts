/**
 * Operations on nodes that do more than pass their records to the wasm.
 */

import { parseDescription } from "../../model/data_type.ts";
import { type OperationTable, operate } from "./operation.ts";

export const nodeOperations = {
  async open({ early, ...args }, context) {
    const { stores } = context.engine;
    const forget = early ? stores.expectEarly(args.store, early) : () => {};
    return operate("open", args, context).finally(forget);
  },

  async loadConsolidated(source, context) {
    const loaded = context.engine.newId();
    const { ends, ...found } = await operate("consolidatedStore", { ...source, loaded }, context);
    context.give(ends.buffer);
    return { ...found, loaded, ends: new Uint32Array(ends.buffer) };
  },

  describeType: ({ array }, { engine: { arrays, instances } }) =>
    instances.call((glue) => {
      const type = arrays.typeOf(glue, array);
      const { floatTables = [], bound } = arrays.of(array);
      return { type, floatTables, build: bound.build };
    }),

  async describeTypeName(args, context) {
    return parseDescription(await operate("describeTypeName", args, context));
  },
} satisfies OperationTable;
