/** Links between pages: from names in comments and in types, and to pages of the guide. */
import { posix } from "node:path";
import { addressIn, anchorOf } from "./addresses.mjs";

/** Functions whose names are also words for members and options: in comments these are meant. */
const AMBIGUOUS = new Set(["get", "set", "at", "select", "copy", "root", "info"]);

/** The path of a page from another one. */
export const pathBetween = (page, other) => posix.relative(posix.dirname(page), other);

/** The link to an address from a page. */
function linkBetween(page, address) {
  const [other, anchor] = address.split("#");
  const path = other === page ? "" : `${pathBetween(page, other)}.md`;
  return anchor === undefined ? path : `${path}#${anchor}`;
}

/** The names of what a page shows, which mean its own things there. */
function ownNames(item) {
  const { name, parameters = [], members = [], properties = [], methods = [] } = item;
  const options = [item, ...methods].flatMap((one) => (one.parameters ?? []).flatMap((each) => each.options));
  return new Set([
    name,
    ...[...parameters, ...members, ...properties, ...methods, ...options].map((one) => one.name),
  ]);
}

/** Returns the functions that link names from a page. `items` are those that the page shows. */
export function linksFrom(page, items, { addresses, byName }) {
  const own = new Set(items.flatMap((item) => [...ownNames(item)]));
  const codes = new Set(byName.get("ErrorCode")?.words ?? []);

  /** The address of a member, such as `Array.get`. */
  function memberAddress(text) {
    const [, name, member] = /^(\w+)\.(\w+)(?:\(\))?$/.exec(text) ?? [];
    const item = byName.get(name);
    const method = item?.methods?.find((one) => one.name === member);
    const property = item?.properties?.find((one) => one.name === member);
    const { page: at } = addresses.get(name) ?? {};
    if (method) return `${at}#${anchorOf(member)}`;
    return property && at;
  }

  function linkOf(text) {
    if (/^[a-z]/.test(text) && (own.has(text) || AMBIGUOUS.has(text))) return undefined;
    const name = text.replace(/\(\)$/, "").replace(/^zarr\./, "");
    const address = addressIn(addresses, codes.has(name) ? "ErrorCode" : name) ?? memberAddress(name);
    return address === undefined || address === page ? undefined : linkBetween(page, address);
  }

  return { page, addresses, linkOf, typeLinkOf: linkOf, itemOf: (name) => byName.get(name) };
}

/** The link to a page of the guide, whose pages are beside the folder of the reference. */
export const guideLink = (page, guide) => pathBetween(page, guide);
