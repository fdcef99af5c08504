/**
 * Texts of a data set as literals of JavaScript and Python, which read JSON's alike. Signs that a
 * reader does not see are escaped: they end lines of code, or show it in another order.
 */

/** Control signs, signs of formatting such as the direction of text, and separators of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Python joins no halves of a sign, so signs of two halves stay. */
const escaped = (sign: string): string =>
  sign.length > 1 ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

export const quoted = (text: string): string => JSON.stringify(text).replace(UNSEEN, escaped);
