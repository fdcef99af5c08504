/** The side bar of the reference, for VitePress: groups of the index, entries, types. */
import { addressIn } from "./addresses.mjs";
import { GROUPS, TYPE_PAGES } from "./groups.mjs";
import { entryAddress } from "./lists.mjs";

const linkTo = (address) => `/${address}`;

/** An item of the side bar for each name. */
const itemsOf = (names, addresses) =>
  names.map((name) => ({ text: name, link: linkTo(addressIn(addresses, name)) }));

/** The names of the entries besides the root that have pages of their own. */
function entryItems({ entries, items }, addresses) {
  return entries
    .filter(({ hasPage, entry }) => hasPage && entry !== "")
    .map((one) => {
      const own = items.filter(
        ({ isValue, entries: of }) => isValue && of.includes(one.name) && !of.includes("zarr-wasm"),
      );
      const inside = itemsOf(
        own.map(({ name }) => name),
        addresses,
      );
      const head = { text: one.name, link: linkTo(entryAddress(one)) };
      return inside.length === 0 ? head : { ...head, items: inside };
    });
}

/** The pages of types that several calls share. The index of the reference has the others. */
const typeItems = () => [
  ...TYPE_PAGES.map(({ page, title }) => ({ text: title, link: `/reference/types/${page}` })),
  { text: "All types", link: "/reference/#types" },
];

/** The groups of the side bar. None can be collapsed: VitePress would put one button into another. */
export function sidebarFor(model, addresses) {
  const groups = GROUPS.map(({ title, names }) => ({
    text: title,
    items: itemsOf(names, addresses),
  }));
  return [
    { text: "Reference", link: "/reference/" },
    ...groups,
    { text: "Other entries", items: entryItems(model, addresses) },
    { text: "Types", items: typeItems() },
  ];
}
