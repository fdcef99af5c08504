/** The arrays of `tests/fixtures` that readers are asked for, with their features and elements. */
import { goodCases } from "../node/fixture_files.mjs";
import { featuresOf } from "./features.mjs";

/** What a driver is told of an array: where it is, and how its elements are to be written. */
function requestOf(made, node, format) {
  const { path, shape, data_type: type } = node;
  return {
    id: `${made.name}/${path}`,
    kind: "folder",
    store: made.store,
    path,
    format,
    shape,
    type,
    variable: node.values_json !== undefined,
  };
}

/** `[{ request, features, expected }]` of every array of the good stores. */
export function fixtureArrays() {
  return goodCases().flatMap((made) =>
    made.expected
      .filter(({ kind }) => kind === "array")
      .map((node) => {
        const features = featuresOf(made, node);
        const format = features.find((word) => word.startsWith("format:")).slice("format:".length);
        return { request: requestOf(made, node, format), features, expected: node };
      }),
  );
}
