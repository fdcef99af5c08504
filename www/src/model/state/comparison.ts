/** How the picture is compared with a second one, as it is in the page's URL. */

const HOW = ["beside", "swipe", "difference"] as const;
const LIMITS = ["shared", "own"] as const;

/** `difference`: the first picture minus the second, beside the first. */
export type How = (typeof HOW)[number];

export interface Comparison {
  how: How;
  /** The position of the divider as a share of the width, if the user has moved it. */
  divider?: number;
  /** Whether both have the same colours and limits, if the user has chosen it. */
  limits?: (typeof LIMITS)[number];
  /** The channel of a difference, if the user has chosen it. */
  channel?: number;
}

/** Three digits are a pixel of a large screen. */
const DIGITS = 3;

/** A channel as a word: a number alone is the divider. */
const CHANNEL = /^channel(\d{1,6})$/;

export const writeComparison = ({ how, divider, limits, channel }: Comparison): string =>
  [
    how,
    ...(divider === undefined ? [] : [Number(divider.toFixed(DIGITS))]),
    ...(limits ? [limits] : []),
    ...(channel === undefined ? [] : [`channel${channel}`]),
  ].join(",");

/** Undefined for a text that names no way to compare. */
export function readComparison(text: string): Comparison | undefined {
  const [first, ...others] = text.split(",");
  const how = HOW.find((known) => known === first);
  const divider = others
    .filter((word) => word !== "")
    .map(Number)
    .find((share) => share >= 0 && share <= 1);
  const limits = LIMITS.find((known) => others.includes(known));
  const [, channel] = others.map((word) => CHANNEL.exec(word)).find((found) => found) ?? [];
  return (
    how && {
      how,
      ...(divider !== undefined && { divider }),
      ...(limits && { limits }),
      ...(channel !== undefined && { channel: Number(channel) }),
    }
  );
}
