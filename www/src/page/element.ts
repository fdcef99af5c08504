/**
 * Finds elements of the page, and makes controls that panels share. Panels are templates of
 * lit-html, which makes text nodes of texts, so text of data sets is never parsed as HTML.
 */

import { html, noChange, type TemplateResult } from "lit-html";
import { Directive, directive, type ElementPart } from "lit-html/directive.js";
import { live } from "lit-html/directives/live.js";
import { cutText } from "../text/cut.js";
import { type IconName, icon } from "./icons.js";

/** Maximum length of a text of a data set. */
const MOST_CHARACTERS = 2_000;

/** A text of a data set for the page. Long ones are cut. */
export const shown = (text: string): string => cutText(text, MOST_CHARACTERS);

export const button = (text: string, press: () => void, kind = ""): TemplateResult =>
  html`<button type="button" class=${kind} @click=${press}>${text}</button>`;

/** A button with an icon. Its name is the ARIA label and the tooltip. */
export const iconButton = (name: IconName, label: string, press: () => void): TemplateResult =>
  html`<button type="button" class="icon-button" title=${label} aria-label=${label} @click=${press}
    >${icon(name)}</button>`;

/** A checkbox with its label. */
export function tickBox(label: string, checked: boolean, change: (checked: boolean) => void): TemplateResult {
  const take = (event: Event) => change(fieldOf(event).checked);
  return html`<label class="tick">
    <input type="checkbox" .checked=${live(checked)} @change=${take} />
    <span>${shown(label)}</span>
  </label>`;
}

/** A spot in the colour of a channel. */
export const dot = (color: string): TemplateResult =>
  html`<span class="dot" .style=${`background: ${color}`}></span>`;

/** The control of an event. */
const fieldOf = (event: Event) => event.currentTarget as HTMLInputElement;

/** A listener that takes the value of its control. */
export const withValue =
  (take: (value: string) => void) =>
  (event: Event): void =>
    take(fieldOf(event).value);

class UnlessTyping extends Directive {
  render(_value: string) {
    return noChange;
  }

  override update({ element }: ElementPart, [value]: [string]) {
    if (element !== document.activeElement) (element as HTMLInputElement).value = value;
    return noChange;
  }
}

/** Sets the value of a field, unless the user is typing in it. */
export const unlessTyping = directive(UnlessTyping);

/** The element of the page with this id. Throws if the page lacks it. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const node = document.getElementById(id);
  if (!node) throw new Error(`index.html has no element with the id "${id}"`);
  return node as T;
}
