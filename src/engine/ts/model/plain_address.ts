/**
 * The addresses of values below the root of a store over HTTP, if they are certain: no character of
 * the path needs escaping, and the path does not lead out of the root.
 */

/** Paths that need no escaping in a URL, and do not lead out of the root. */
const PLAIN = /^(?!(?:.*\/)?\.{1,2}(?:\/|$))[\w.~/-]*$/;

/** The address of a root, and its query. */
const ADDRESS = /^(https?:\/\/[^/?#][^?#]*)(\?[^#]*)?(?:#.*)?$/i;

/** A function that gives the address of a key below a node. Undefined if it is not certain. */
export function addressesBelow(root: string, path: string): ((key: string) => string) | undefined {
  const [, address = "", query = ""] = ADDRESS.exec(root) ?? [];
  if (address === "" || !PLAIN.test(path)) return undefined;
  const below = path.split("/").filter((name) => name !== "");
  const base = [address.replace(/(?<!\/)\/+$/, ""), ...below].join("/");
  return (key) => `${base}/${key}${query}`;
}
