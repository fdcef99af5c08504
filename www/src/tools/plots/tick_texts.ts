/** The texts of ticks: numbers with enough decimals, and dates as short as their steps allow. */
import { scaleTexts } from "../../model/text/numbers.js";
import type { PlotAxis } from "./plot.js";

const MINUTE = 60;
const DAY = 86_400;
const MONTH = 28 * DAY;
const YEAR = 365 * DAY;

/** A date of UTC, down to the unit of the steps. */
function dateText(seconds: number, step: number): string {
  const text = new Date(seconds * 1000).toISOString();
  // Years beyond four digits have a sign and six.
  const day = text.slice(0, text.indexOf("T"));
  if (step >= YEAR) return day.slice(0, -6);
  if (step >= MONTH) return day.slice(0, -3);
  if (step >= DAY) return day;
  const time = text.slice(text.indexOf("T") + 1);
  return `${day.slice(-5)} ${step >= MINUTE ? time.slice(0, 5) : time.slice(0, 8)}`;
}

/** The texts of ticks at even steps. */
export function tickTexts({ isTime }: PlotAxis, ticks: readonly number[]): string[] {
  const [first = 0, second = first] = ticks;
  if (isTime) return ticks.map((tick) => dateText(tick, Math.abs(second - first)));
  return ticks.length === 0 ? [] : scaleTexts(ticks);
}
