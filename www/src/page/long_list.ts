/**
 * Lists whose length comes from metadata. A few kilobytes can declare a million entries, so only
 * some become elements, and a sentence says how many there are.
 */

import { countText } from "../text/numbers.js";
import { element } from "./element.js";

/** Number of rows that are made at a time. */
const ROWS_AT_ONCE = 200;
/** Maximum number of entries of a menu. */
const MOST_OPTIONS = 1000;

/** Fills a place with the first rows, and a button that adds the next ones. */
export function fillInParts<T>(
  place: HTMLElement,
  entries: readonly T[],
  row: (entry: T) => HTMLElement,
): void {
  const add = (from: number) => {
    const to = Math.min(from + ROWS_AT_ONCE, entries.length);
    place.append(...entries.slice(from, to).map(row));
    if (to === entries.length) return;
    const words = `${countText(entries.length - to)} more`;
    const more = element("button", { type: "button", class: "more" }, words);
    more.addEventListener("click", () => {
      more.remove();
      add(to);
    });
    place.append(more);
  };
  add(0);
}

/** The sentence for a list of which the first entries are shown. Null if all are. */
export function cutNote(count: number, shown: number, noun: string): HTMLElement | null {
  if (count <= shown) return null;
  return element(
    "p",
    { class: "note" },
    `${countText(count)} ${noun}. The first ${countText(shown)} are shown.`,
  );
}

/** The sentence for a list of things of which some can be visible at a time. */
export const mostNote = (count: number, most: number, noun: string): HTMLElement[] =>
  count <= most ? [] : [element("p", { class: "note" }, `At most ${most} ${noun} are drawn at a time.`)];

export interface MenuEntry {
  value: string | number;
  text: string;
}

/** The options of a menu: the first entries and the chosen one. `noun` is for the sentence. */
export function optionsOf(
  count: number,
  entry: (at: number) => MenuEntry,
  { chosen, noun }: { chosen: number; noun: string },
): HTMLOptionElement[] {
  const shown = Array.from({ length: Math.min(count, MOST_OPTIONS) }, (_, at) => at);
  if (chosen >= shown.length) shown.push(chosen);
  const options = shown.map((at) => {
    const { value, text } = entry(at);
    return element("option", { value, selected: at === chosen }, text);
  });
  if (count > MOST_OPTIONS) {
    const words = `${countText(count)} ${noun}. The first ${countText(MOST_OPTIONS)} are listed.`;
    options.push(element("option", { disabled: true }, words));
  }
  return options;
}
