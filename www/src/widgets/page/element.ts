/**
 * Finds elements of the page, and makes texts, icons and controls that panels share. Panels are
 * templates of lit-html, which makes text nodes of texts, so text of data sets is never parsed as
 * HTML.
 */

import { html, noChange, type TemplateResult } from "lit-html";
import { Directive, directive, type ElementPart } from "lit-html/directive.js";
import { ifDefined } from "lit-html/directives/if-defined.js";
import { live } from "lit-html/directives/live.js";
import { countText } from "../../model/text/numbers.js";

/**
 * The first characters of a text, with a sentence that says how long it is. A text of a megabyte
 * takes the page a second to lay out, and a few kilobytes of metadata can hold many of them.
 */
export const cutText = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most)}…\n(${countText(text.length)} characters. The first ${countText(most)} are shown.)`;

/** Maximum length of a text of a data set. */
const MAX_CHARACTERS = 2_000;

/** A text of a data set for the page. Long ones are cut. */
export const shortened = (text: string): string => cutText(text, MAX_CHARACTERS);

/** Lines in a square of 20, which have the colour of the text beside them. */
const LINES = {
  folder: "M2.5 5.5a1 1 0 0 1 1-1H8l1.5 2h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1z",
  file: "M5 2.5h6l4 4v11H5zM11 2.5v4h4",
  picture: "M2.5 4h15v12h-15zM2.5 13.5l4-4 3.5 3.5 2.5-2.5 5 4.5M13 7.5h.01",
  clock: "M10 2.8a7.2 7.2 0 1 0 0 14.4 7.2 7.2 0 0 0 0-14.4zM10 6v4.2l2.6 1.8",
  play: "M6 4l10 6-10 6z",
  pause: "M7 4.5v11M13 4.5v11",
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  fit: "M3.5 7.5v-4h4M16.5 7.5v-4h-4M3.5 12.5v4h4M16.5 12.5v4h-4",
  close: "M5 5l10 10M15 5L5 15",
  back: "M12 4l-6 6 6 6",
  down: "M5 7.5l5 5 5-5",
  link: "M8.5 11.5l3-3M9.5 6.5l2-2a2.8 2.8 0 0 1 4 4l-2 2M10.5 13.5l-2 2a2.8 2.8 0 0 1-4-4l2-2",
  leave: "M8 4H4v12h12v-4M11.5 3.5h5v5M16.5 3.5L9.5 10.5",
  code: "M7 6l-4 4 4 4M13 6l4 4-4 4M11.5 4.5l-3 11",
  pin: "M10 17.5c-3-4-4.8-6.3-4.8-9a4.8 4.8 0 0 1 9.6 0c0 2.7-1.8 5-4.8 9zM10 8.5h.01",
  line: "M4 16L16 4M4 16h.01M16 4h.01",
  box: "M3.5 5.5h13v9h-13z",
  polygon: "M10 3l6.5 5-2.5 8h-8l-2.5-8z",
} as const;

export type IconName = keyof typeof LINES;

/** Icons are decoration, so ARIA ignores them; their buttons have names. */
export const icon = (name: IconName): TemplateResult =>
  html`<svg class="icon icon-${name}" viewBox="0 0 20 20" aria-hidden="true"><path d=${LINES[name]} /></svg>`;

export const button = (text: string, press: () => void, kind = ""): TemplateResult =>
  html`<button type="button" class=${kind} @click=${press}>${text}</button>`;

/**
 * A button with an icon. Its name is the ARIA label and the tooltip. `isPressed` is for those that
 * stay pressed.
 */
export const iconButton = (
  name: IconName,
  label: string,
  press: () => void,
  isPressed?: boolean,
): TemplateResult =>
  html`<button
    type="button"
    class="icon-button"
    title=${label}
    aria-label=${label}
    aria-pressed=${ifDefined(isPressed)}
    @click=${press}
  >${icon(name)}</button>`;

/** A checkbox with its label. */
export function tickBox(label: string, checked: boolean, change: (checked: boolean) => void): TemplateResult {
  const take = (event: Event) => change(fieldOf(event).checked);
  return html`<label class="tick">
    <input type="checkbox" .checked=${live(checked)} @change=${take} />
    <span>${shortened(label)}</span>
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
    const { activeElement } = element.getRootNode() as Document | ShadowRoot;
    if (element !== activeElement) (element as HTMLInputElement).value = value;
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
