/**
 * The numbers beside the colours of a field: a few round values, and their positions on the bar.
 */

import { roundedText, scaleTexts } from "../text/numbers.js";
import type { FieldStyle } from "./scene.js";

/** A number of the scale. `share` is its position on the bar, from 0 to 1. */
export interface ScaleMark {
  text: string;
  share: number;
}

/** Number of steps between the numbers. */
const MAX_STEPS = 6;
/** Maximum number of powers of ten, before they are thinned out. */
const MAX_TICKS = 700;
/** Number of characters that fit beside the bar, gaps included. */
const CHARACTERS = 36;

/** The numbers of a style's scale, so few that their texts do not overlap. */
export function scaleOf(style: FieldStyle): ScaleMark[] {
  const ticks = ticksOf(style);
  const texts = style.log ? ticks.map(roundedText) : scaleTexts(ticks);
  const marks = texts.map((text, at) => ({ text, share: shareOf(ticks[at] ?? 0, style) }));
  return marks.filter(isReadable(texts));
}

/** Which ticks are kept so that their texts do not overlap. */
function isReadable(texts: readonly string[]) {
  const longest = Math.max(0, ...texts.map(({ length }) => length));
  const every = Math.ceil((texts.length * (longest + 2)) / CHARACTERS);
  return (_: unknown, at: number) => at % every === 0;
}

/** The position of a value on the bar, from 0 to 1. */
function shareOf(value: number, { range: [low, high], log }: FieldStyle): number {
  return log && low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

/** A few round values in the range; powers of ten for a logarithmic scale. */
function ticksOf({ range: [low, high], log }: FieldStyle): number[] {
  if (log && low > 0) {
    const powers = multiples(Math.log10(low), Math.log10(high), 1).map((power) => 10 ** power);
    if (powers.length > 1) return thinned(powers);
  }
  return multiples(low, high, roundStep((high - low) / MAX_STEPS));
}

/** The next 1, 2 or 5 times a power of ten that is not smaller. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 5].find((digit) => digit * power >= step * (1 - 1e-9)) ?? 10) * power;
}

function multiples(low: number, high: number, step: number): number[] {
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  const count = Math.max(0, Math.min(last - first + 1, MAX_TICKS));
  return Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

const thinned = (values: number[]): number[] => {
  const every = Math.ceil(values.length / MAX_STEPS);
  return values.filter((_, at) => at % every === 0);
};
