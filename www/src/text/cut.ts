/**
 * Shortens texts of metadata for the page. A text of a megabyte takes the page a second to lay out,
 * and a few kilobytes of compressed metadata can hold many of them.
 */

import { countText } from "./numbers.js";

/** The first characters of a text, with a sentence that says how long it is. */
export const cutText = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most)}…\n(${countText(text.length)} characters. The first ${countText(most)} are shown.)`;

/** A name that is repeated in many places, with an ellipsis for what is left out. */
export const shortName = (name: string, most: number): string =>
  name.length <= most ? name : `${name.slice(0, most - 1)}…`;
