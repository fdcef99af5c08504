/**
 * The page of each public name. Values have pages of their own. A type that only one page names is
 * on that page; options are where the function that takes them is. Other types have pages too, and
 * those of `TYPE_PAGES` share one.
 */
import { TYPE_PAGES } from "./groups.mjs";

const FOLDERS = { class: "classes", function: "functions", constant: "constants" };

/** The page of a value: of an element, which is an interface and a constant, among the classes. */
const pageOfValue = ({ kind, name }) => `reference/${FOLDERS[kind] ?? "classes"}/${name}`;

/** The types of options, whose table the function that takes them has. */
export const isTaken = (name) => /Options$|Config$/.test(name);

/** The anchor of a type on a page that it shares. */
const typeAnchor = (name) => `type-${name.toLowerCase()}`;

/** The anchor of the options of a method; of a function without `method`. */
export const optionsAnchor = (method) => (method === undefined ? "options" : `${anchorOf(method)}-options`);

/** The anchor of a member. */
export const anchorOf = (name) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** Pages of names as far as they are known. */
function firstPages(items) {
  const pages = new Map(items.filter(({ isValue }) => isValue).map((item) => [item.name, pageOfValue(item)]));
  for (const { page, names } of TYPE_PAGES)
    for (const name of names) pages.set(name, `reference/types/${page}`);
  return pages;
}

/** The names that name each name. */
function usersOf(items) {
  const users = new Map(items.map(({ name }) => [name, new Set()]));
  for (const { name, uses } of items) for (const used of uses) users.get(used)?.add(name);
  return users;
}

/** Gives each type the page of all its users, if that is one, else a page of its own. */
function pagesOf(items) {
  const [pages, users] = [firstPages(items), usersOf(items)];
  const waiting = new Set(items.map(({ name }) => name).filter((name) => !pages.has(name)));
  const place = (name, page) => waiting.delete(name) && pages.set(name, page);
  while (waiting.size > 0) {
    const ready = [...waiting].filter((name) => [...users.get(name)].every((user) => pages.has(user)));
    for (const name of ready) {
      const of = new Set([...users.get(name)].map((user) => pages.get(user)));
      const [only] = of;
      const isShared = of.size === 1 && !TYPE_PAGES.some(({ page }) => only === `reference/types/${page}`);
      place(name, isShared ? only : `reference/types/${name}`);
    }
    // Types that name each other: the first of them gets a page.
    if (ready.length === 0) {
      const [name] = waiting;
      place(name, `reference/types/${name}`);
    }
  }
  return pages;
}

/** The options of the functions of a page, with the anchors of their tables. */
function takenOn(item) {
  const own = (callable, method) =>
    callable.parameters
      .filter(({ options }) => options.length > 0)
      .flatMap(({ optionTypes }) => optionTypes.filter(isTaken))
      .map((name) => [name, optionsAnchor(method)]);
  const { signatures, creation, methods = [] } = item;
  return [
    ...(signatures ? own(item) : []),
    ...(creation ? own(creation, "constructor") : []),
    ...methods.flatMap((method) => own(method, method.name)),
  ];
}

/** Throws if two pages would be one file where capitals do not count. */
function checkFiles(pages) {
  const byFile = new Map();
  for (const page of new Set(pages.values())) {
    const other = byFile.get(page.toLowerCase());
    if (other !== undefined) throw new Error(`${other} and ${page} are one file where capitals do not count`);
    byFile.set(page.toLowerCase(), page);
  }
}

/** The addresses of all public names: `{ page, anchor }`. */
export function addressesOf({ items }) {
  const pages = pagesOf(items);
  checkFiles(pages);
  const addresses = new Map();
  for (const { name, isValue } of items) {
    const page = pages.get(name);
    const isAlone = isValue || page === `reference/types/${name}`;
    addresses.set(name, { page, anchor: isAlone ? undefined : typeAnchor(name) });
  }
  for (const item of items.filter(({ isValue }) => isValue).reverse())
    for (const [name, anchor] of takenOn(item).reverse())
      if (addresses.get(name).page === pages.get(item.name))
        addresses.set(name, { ...addresses.get(name), anchor });
  return addresses;
}

/** The address of a public name, as a path on the site; undefined for other names. */
export function addressIn(addresses, name) {
  const { page, anchor } = addresses.get(name) ?? {};
  return page && (anchor === undefined ? page : `${page}#${anchor}`);
}
