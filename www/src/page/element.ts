/**
 * Building and finding elements: the two things every panel of the page does. Not a framework;
 * panels own their nodes and update them by hand.
 */

import { type IconName, icon } from "./icons.js";

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | EventListener>;

/**
 * A new element. `on…` entries become listeners, `true` an empty attribute, `false` none; strings
 * become text nodes, so nothing that came out of a data set is ever parsed as HTML.
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

/** A button that shows an icon alone; its name is told to those who do not see it, and on hover. */
export function iconButton(name: IconName, label: string, press: () => void): HTMLButtonElement {
  return element(
    "button",
    { type: "button", class: "icon-button", title: label, "aria-label": label, onclick: press },
    icon(name),
  );
}

/** A box to tick, with its words. */
export function tickBox(
  label: string,
  checked: boolean,
  change: (checked: boolean) => void,
): HTMLLabelElement {
  const box = element("input", { type: "checkbox", checked });
  box.addEventListener("change", () => change(box.checked));
  return element("label", { class: "tick" }, box, element("span", {}, label));
}

/** The element of the template with this id; a missing one is a fault of the template. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const node = document.getElementById(id);
  if (!node) throw new Error(`index.html has no element with the id "${id}"`);
  return node as T;
}
