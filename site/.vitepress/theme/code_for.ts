/** Code that reads what the picture of the home page shows. The viewer's own code has more detail. */

/** Attributes of `<zarr-view>`: the address, and a node, variable and indices where they are chosen. */
type State = Readonly<Record<string, string | undefined>>;

/** `time:6,z:3` as the members of a selection. */
const indicesOf = (at = "") =>
  at
    .split(",")
    .map((part) => /^([^:]+):(\d+)$/.exec(part.trim()))
    .flatMap((match) => (match ? [`${JSON.stringify(match[1])}: ${match[2]}`] : []));

/** A program that opens the node of a state and reads the plane that it shows. */
export function codeFor({ src = "", path, variable, at }: State): string {
  const where = [path, variable].filter(Boolean).join("/");
  const options = where ? `, { path: ${JSON.stringify(where)} }` : "";
  const indices = indicesOf(at).join(", ");
  const selection = indices ? `{ ${indices} }` : "null";
  return `import * as zarr from "zarr-wasm";

const node = await zarr.open(${JSON.stringify(src)}${options});
const array = node.kind === "array" ? node : (await zarr.pyramid(node)).levels[0].array;
const { data, shape } = await array.get(${selection});
console.log(shape, data);
`;
}
