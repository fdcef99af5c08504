/**
 * Computes with lists of coordinates: whether their steps are equal, how far their elements reach,
 * and the arc of longitudes. It reads nothing.
 */

/** The coordinate of the first element, and the step to the next. */
export interface Steps {
  readonly start: number;
  readonly step: number;
}

/** Lowest and highest. */
type Range = [low: number, high: number];

/** A narrower gap of longitudes, in degrees, is one between neighbours. */
const WIDE_GAP = 20;

/**
 * Start and step of coordinates whose steps are equal. `tolerance` is in steps. Undefined for
 * others, and for a single one.
 */
export function evenSteps(values: ArrayLike<number>, tolerance: number): Steps | undefined {
  const last = values.length - 1;
  const start = values[0] as number;
  const step = ((values[last] as number) - start) / last;
  if (!(last > 0) || !Number.isFinite(step) || step === 0) return undefined;
  for (let at = 0; at <= last; at += 1) {
    const off = ((values[at] as number) - start - at * step) / step;
    if (!(Math.abs(off) <= tolerance)) return undefined;
  }
  return { start, step };
}

/** The edges of ascending or descending coordinates: half a step beyond the ends. */
export function edgesOf(values: ArrayLike<number>): Range {
  const last = values.length - 1;
  const beyond = (end: number, next: number) => end + (end - next) / 2;
  const first = beyond(values[0] as number, values[1] as number);
  const end = beyond(values[last] as number, values[last - 1] as number);
  return first < end ? [first, end] : [end, first];
}

/** The lowest and the highest of some numbers, without NaN. */
export function boundsOf(values: ArrayLike<number>): Range {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < values.length; at += 1) {
    const own = values[at] as number;
    if (own < low) low = own;
    if (own > high) high = own;
  }
  return [low, high];
}

/**
 * West and east of longitudes: the arc without their widest gap. The whole globe, from −180, if no
 * gap is wide.
 */
export function arcOf(longitudes: ArrayLike<number>): Range {
  const [gapEnd, width] = widestGap(longitudes);
  if (width < WIDE_GAP) return [-180, 180];
  const middle = (gapEnd % 360) + (360 - width) / 2;
  return boundsAround(longitudes, middle > 180 ? middle - 360 : middle);
}

/** The end and the width of the widest gap, in whole degrees. */
function widestGap(longitudes: ArrayLike<number>): [end: number, width: number] {
  const seen = new Uint8Array(360);
  for (let at = 0; at < longitudes.length; at += 1) {
    const own = longitudes[at] as number;
    if (Number.isFinite(own)) seen[((Math.floor(own) % 360) + 360) % 360] = 1;
  }
  let [end, width, run] = [0, 0, 0];
  for (let at = 0; at < 720; at += 1) {
    run = seen[at % 360] ? 0 : run + 1;
    if (run > width && run < 360) [end, width] = [at + 1, run];
  }
  return [end, width];
}

/** West and east of longitudes within half a turn of the middle. */
function boundsAround(longitudes: ArrayLike<number>, middle: number): Range {
  let [west, east] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < longitudes.length; at += 1) {
    const own = (longitudes[at] as number) - 360 * Math.round(((longitudes[at] as number) - middle) / 360);
    if (own < west) west = own;
    if (own > east) east = own;
  }
  return [west, east];
}
