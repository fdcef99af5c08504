/**
 * Makes and finds elements. It is not a framework: panels own their elements and update them.
 */

import { cutText } from "../text/cut.js";
import { type IconName, icon } from "./icons.js";

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | EventListener>;

/** Maximum length of a text. A caller that has a longer one passes a text node. */
const MOST_CHARACTERS = 2_000;

/**
 * Makes an element. `on…` entries become listeners, `true` becomes an empty attribute, `false`
 * none. Strings become text nodes, so text of data sets is never parsed as HTML. Long ones are cut.
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
  const cut = (child: Child) => (typeof child === "string" ? cutText(child, MOST_CHARACTERS) : child);
  node.append(...children.map(cut).filter((child) => child !== null));
  return node;
}

/** A button with an icon. Its name is the ARIA label and the tooltip. */
export function iconButton(name: IconName, label: string, press: () => void): HTMLButtonElement {
  return element(
    "button",
    { type: "button", class: "icon-button", title: label, "aria-label": label, onclick: press },
    icon(name),
  );
}

/** A checkbox with its label. */
export function tickBox(
  label: string,
  checked: boolean,
  change: (checked: boolean) => void,
): HTMLLabelElement {
  const box = element("input", { type: "checkbox", checked });
  box.addEventListener("change", () => change(box.checked));
  return element("label", { class: "tick" }, box, element("span", {}, label));
}

/** The element of the template with this id. Throws if the template lacks it. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const node = document.getElementById(id);
  if (!node) throw new Error(`index.html has no element with the id "${id}"`);
  return node as T;
}
