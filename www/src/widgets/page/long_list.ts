/**
 * Lists whose length comes from metadata. A few kilobytes can declare a million entries, so only
 * some become elements, and a sentence says how many there are.
 */

import { html, nothing, type TemplateResult } from "lit-html";
import { AsyncDirective, directive } from "lit-html/async-directive.js";
import { countText } from "../../model/text/numbers.js";
import { button, shortened } from "./element.js";

/** Number of rows that are made at a time. */
const ROWS_AT_ONCE = 200;
/** Maximum number of entries of a menu. */
const MAX_OPTIONS = 1000;

type Row = (entry: unknown) => TemplateResult;

class InParts extends AsyncDirective {
  #count = ROWS_AT_ONCE;

  render(entries: readonly unknown[], row: Row): unknown {
    const rest = entries.length - this.#count;
    const more = () => {
      this.#count += ROWS_AT_ONCE;
      this.setValue(this.render(entries, row));
    };
    return [
      entries.slice(0, this.#count).map(row),
      rest > 0 ? button(`${countText(rest)} more`, more, "more") : nothing,
    ];
  }
}

const parts = directive(InParts);

/** The first rows, and a button that adds the next ones. */
export const inParts = <T>(entries: readonly T[], row: (entry: T) => TemplateResult): unknown =>
  parts(entries, row as Row);

/** The sentence for a list of which the first entries are shown; nothing if all are. */
export const cutNote = (count: number, most: number, noun: string): unknown =>
  count <= most
    ? nothing
    : html`<p class="note">${countText(count)} ${noun}. The first ${countText(most)} are shown.</p>`;

/** The sentence for a list of things of which some can be visible at a time. */
export const mostNote = (count: number, most: number, noun: string): unknown =>
  count <= most ? nothing : html`<p class="note">At most ${most} ${noun} are drawn at a time.</p>`;

export interface MenuEntry {
  value: string | number;
  text: string;
}

/** The options of a menu: the first entries and the chosen one. `noun` is for the sentence. */
export function optionsOf(
  entries: readonly MenuEntry[],
  { chosen, noun }: { chosen: number; noun: string },
): TemplateResult[] {
  const count = entries.length;
  const isListed = (_: unknown, at: number) => at < MAX_OPTIONS || at === chosen;
  const options = entries.filter(isListed).map((entry) => {
    const isChosen = entry === entries[chosen];
    return html`<option value=${entry.value} ?selected=${isChosen}>${shortened(entry.text)}</option>`;
  });
  if (count > MAX_OPTIONS) {
    const words = `${countText(count)} ${noun}. The first ${countText(MAX_OPTIONS)} are listed.`;
    options.push(html`<option disabled>${words}</option>`);
  }
  return options;
}
