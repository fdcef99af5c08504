/** Building and finding elements: the two things every panel of the page does. Not a framework; panels own their nodes and update them by hand. */

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | EventListener>;

/**
 * A new element. `on…` entries become listeners, `true` an empty attribute, `false` none; strings become text nodes,
 * so nothing that came out of a data set is ever parsed as HTML.
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** The element of the template with this id; a missing one is a fault of the template. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const node = document.getElementById(id);
  if (!node) throw new Error(`index.html has no element with the id "${id}"`);
  return node as T;
}
