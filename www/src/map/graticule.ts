/**
 * Computes meridians and parallels in a rectangle of a map, and the positions of their texts.
 * `map_lines.ts` draws them. OpenLayers' graticule assumes that a meridian runs from bottom
 * to top, which is wrong on a map of a pole.
 */

export type Point = [number, number];
export type Extent = [left: number, bottom: number, right: number, top: number];

/** Converts degrees east and north to map coordinates, and back. NaN if there is no such point. */
export interface Globe {
  toMap(point: Point): Point;
  toDegrees(point: Point): Point;
}

export interface GraticuleLine {
  degrees: number;
  isMeridian: boolean;
  /** The part of the line on the picture. */
  parts: Point[][];
}

/** The extent of a rectangle in degrees. West may be below −180, east above 180. */
export interface GlobeExtent {
  west: number;
  east: number;
  south: number;
  north: number;
  /** Whether it contains a pole. */
  hasPole: boolean;
}

/** Number of sampled points along each side of a rectangle. */
const SAMPLES = 24;
/** Number of segments of a line. */
const PIECES = 96;
/** Least distance of two lines in CSS pixels. */
const SPACING = 55;
/** The possible intervals in degrees. */
const INTERVALS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 90];
/** Maximum number of lines of a kind. More would be an error. */
const MAX_LINES = 90;

const isFinitePoint = (point: readonly number[]): point is Point => point.every(Number.isFinite);

/** The longitude plus the multiple of 360 degrees that brings it nearest to another one. */
const near = (longitude: number, to: number) => longitude - 360 * Math.round((longitude - to) / 360);

const middleOf = ([left, bottom, right, top]: Extent): Point => [(left + right) / 2, (bottom + top) / 2];

/** The extent of a rectangle in degrees. Null if it is not on the globe. */
export function globeExtentOf(extent: Extent, globe: Globe): GlobeExtent | null {
  const [left, bottom, right, top] = extent;
  const points: Point[] = [];
  for (let at = 0; at < (SAMPLES + 1) ** 2; at += 1) {
    const [across, up] = [(at % (SAMPLES + 1)) / SAMPLES, Math.floor(at / (SAMPLES + 1)) / SAMPLES];
    const point = globe.toDegrees([left + across * (right - left), bottom + up * (top - bottom)]);
    if (isFinitePoint(point)) points.push(point);
  }
  if (points.length === 0) return null;
  const middle = globe.toDegrees(middleOf(extent));
  const centre = isFinitePoint(middle) ? middle[0] : (points[0]?.[0] ?? 0);
  const longitudes = points.map(([longitude]) => near(longitude, centre));
  const latitudes = points.map(([, latitude]) => latitude);
  const [hasNorth, hasSouth] = [90, -90].map((pole) => {
    const point = globe.toMap([0, pole]);
    return point[0] > left && point[0] < right && point[1] > bottom && point[1] < top;
  });
  const hasPole = hasNorth === true || hasSouth === true;
  return {
    west: hasPole ? centre - 180 : Math.min(...longitudes),
    east: hasPole ? centre + 180 : Math.max(...longitudes),
    south: hasSouth ? -90 : Math.min(...latitudes),
    north: hasNorth ? 90 : Math.max(...latitudes),
    hasPole,
  };
}

/** Map units per degree at a point, along a parallel and along a meridian. */
function lengthsAt([longitude, latitude]: Point, globe: Globe): [across: number, along: number] {
  const step = 0.01;
  const own = Math.min(Math.max(latitude, -89), 89);
  const from = globe.toMap([longitude, own]);
  const lengths = [globe.toMap([longitude + step, own]), globe.toMap([longitude, own + step])].map(
    ([x, y]) => Math.hypot(x - from[0], y - from[1]) / step,
  );
  return lengths as [number, number];
}

const intervalOf = (degrees: number) => INTERVALS.find((interval) => interval >= degrees) ?? 90;

/** The intervals of meridians and parallels in degrees. The resolution is map units per pixel. */
export function intervalsOf(
  extent: Extent,
  globeExtent: GlobeExtent,
  { globe, resolution }: { globe: Globe; resolution: number },
): [meridians: number, parallels: number] {
  const { west, east, south, north, hasPole } = globeExtent;
  const middle = globe.toDegrees(middleOf(extent));
  const [across, along] = lengthsAt(
    isFinitePoint(middle) && !hasPole ? middle : [(west + east) / 2, (south + north) / 2],
    globe,
  );
  const parallels = intervalOf((SPACING * resolution) / along);
  // Around a pole the distance of meridians is an angle.
  return [hasPole ? 30 : intervalOf((SPACING * resolution) / across), parallels];
}

/** The multiples of an interval between two numbers. */
function multiples(interval: number, from: number, to: number): number[] {
  const [first, last] = [Math.ceil(from / interval - 1e-9), Math.floor(to / interval + 1e-9)];
  const count = Math.min(Math.max(last - first + 1, 0), MAX_LINES);
  return Array.from({ length: count }, (_, at) => (first + at) * interval);
}

/** The part of a segment in a rectangle, as shares from 0 to 1. Null if there is none. */
function shareInside([startX, startY]: Point, [endX, endY]: Point, extent: Extent): [number, number] | null {
  const [left, bottom, right, top] = extent;
  let [from, to] = [0, 1];
  const sides: [delta: number, room: number][] = [
    [startX - endX, startX - left],
    [endX - startX, right - startX],
    [startY - endY, startY - bottom],
    [endY - startY, top - startY],
  ];
  for (const [delta, room] of sides) {
    if (delta === 0 && room < 0) return null;
    if (delta < 0) from = Math.max(from, room / delta);
    if (delta > 0) to = Math.min(to, room / delta);
  }
  return from < to ? [from, to] : null;
}

/** The parts of a line in a rectangle. Lines that jump across it are broken. */
export function clippedTo(line: readonly Point[], extent: Extent): Point[][] {
  const [left, bottom, right, top] = extent;
  const jump = Math.max(right - left, top - bottom) / 2;
  const parts: Point[][] = [];
  let part: Point[] = [];
  for (const [at, to] of line.entries()) {
    const from = line[at - 1];
    const isWhole = from && isFinitePoint(from) && isFinitePoint(to);
    const share =
      isWhole && Math.hypot(to[0] - from[0], to[1] - from[1]) < jump ? shareInside(from, to, extent) : null;
    if (!share || !from) {
      part = [];
      continue;
    }
    const along = (own: number): Point => [
      from[0] + own * (to[0] - from[0]),
      from[1] + own * (to[1] - from[1]),
    ];
    if (part.length === 0 || share[0] > 0) {
      part = [along(share[0])];
      parts.push(part);
    }
    part.push(along(share[1]));
    if (share[1] < 1) part = [];
  }
  return parts;
}

const between = (from: number, to: number, count: number) =>
  Array.from({ length: count + 1 }, (_, at) => from + ((to - from) * at) / count);

/** The lines in a rectangle of a map. */
export function graticuleLines(extent: Extent, globe: Globe, resolution: number): GraticuleLine[] {
  const globeExtent = globeExtentOf(extent, globe);
  if (!globeExtent) return [];
  const { west, east, south, north, hasPole } = globeExtent;
  const [ofMeridians, ofParallels] = intervalsOf(extent, globeExtent, { globe, resolution });
  // Samples give the edges only to one sample. The rest is clipped to the rectangle.
  const [slackX, slackY] = [(2 * (east - west)) / SAMPLES, (2 * (north - south)) / SAMPLES];
  const [low, high] = [Math.max(south - slackY, -90), Math.min(north + slackY, 90)];
  const [first, last] = hasPole ? [west, east - ofMeridians / 2] : [west - slackX, east + slackX];
  const meridians = multiples(ofMeridians, first, Math.min(last, first + 360)).map((degrees) => {
    // All meridians together would cover the pole.
    const end = !hasPole || degrees % 90 === 0 ? 90 : 90 - ofParallels;
    const line = between(Math.max(low, -end), Math.min(high, end), PIECES).map((latitude) =>
      globe.toMap([degrees, latitude]),
    );
    return { degrees, isMeridian: true, parts: clippedTo(line, extent) };
  });
  const parallels = multiples(ofParallels, low, high)
    .filter((degrees) => Math.abs(degrees) < 90)
    .map((degrees) => {
      const line = between(west - slackX, east + slackX, PIECES).map((longitude) =>
        globe.toMap([longitude, degrees]),
      );
      return { degrees, isMeridian: false, parts: clippedTo(line, extent) };
    });
  return [...meridians, ...parallels].filter(({ parts }) => parts.length > 0);
}

const rounded = (degrees: number) => Number(Math.abs(degrees).toFixed(6));

export function degreesText({ degrees, isMeridian }: Pick<GraticuleLine, "degrees" | "isMeridian">): string {
  const own = isMeridian ? near(degrees, 0) : degrees;
  const number = rounded(own);
  if (number === 0 || (isMeridian && number === 180)) return `${number}°`;
  const [positive, negative] = isMeridian ? ["E", "W"] : ["N", "S"];
  return `${number}°${own < 0 ? negative : positive}`;
}

export interface GraticuleLabel {
  text: string;
  /** The centre of the text, in CSS pixels from the rectangle's top left corner. */
  point: Point;
}

/** The size of a rectangle on the screen, in CSS pixels. */
export interface Screen {
  width: number;
  height: number;
  /** The height of a text. */
  textHeight: number;
}

/** Distance between the edge and a text, and between two texts, in CSS pixels. */
const GAP = 4;

type Box = [left: number, top: number, right: number, bottom: number];

const touch = (a: Box, b: Box) =>
  a[0] < b[2] + GAP && b[0] < a[2] + GAP && a[1] < b[3] + GAP && b[1] < a[3] + GAP;

/**
 * The position of a line's text: where it leaves the rectangle, preferably at the bottom or right.
 */
function anchorOf({ isMeridian, parts }: GraticuleLine, extent: Extent, slack: number): Point | undefined {
  const [left, bottom, right, top] = extent;
  const ends = parts.flatMap((part) => [part[0] as Point, part.at(-1) as Point]);
  const isAt: ((point: Point) => boolean)[] = [
    ([, y]) => y - bottom < slack,
    ([x]) => right - x < slack,
    ([, y]) => top - y < slack,
    ([x]) => x - left < slack,
  ];
  const order = isMeridian ? [0, 2, 1, 3] : [1, 3, 0, 2];
  for (const side of order) {
    const end = ends.find(isAt[side] as (point: Point) => boolean);
    if (end) return end;
  }
  // It ends inside of the rectangle: a circle around a pole, or the edge of the world.
  const worth = ([x, y]: Point) => (isMeridian ? -y : x);
  return parts
    .flat()
    .reduce((best, point) => (worth(point) > worth(best) ? point : best), parts[0]?.[0] as Point);
}

/** The texts of lines in a rectangle on the screen. They do not overlap. */
export function graticuleLabels(
  lines: readonly GraticuleLine[],
  extent: Extent,
  screen: Screen,
): GraticuleLabel[] {
  const [left, bottom, right, top] = extent;
  const { width, height, textHeight } = screen;
  const taken: Box[] = [];
  return lines.flatMap((line) => {
    const seen = { ...line, parts: line.parts.flatMap((part) => clippedTo(part, extent)) };
    if (seen.parts.length === 0) return [];
    const anchor = anchorOf(seen, extent, (right - left) * 1e-6);
    const text = degreesText(line);
    const [halfWidth, halfHeight] = [text.length * textHeight * 0.27, textHeight / 2];
    if (!anchor || width < 4 * halfWidth || height < 4 * halfHeight) return [];
    const within = (position: number, half: number, length: number) =>
      Math.min(Math.max(position, half + GAP), length - half - GAP);
    const x = within(((anchor[0] - left) / (right - left)) * width, halfWidth, width);
    const y = within(((top - anchor[1]) / (top - bottom)) * height, halfHeight, height);
    const box: Box = [x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight];
    if (taken.some((other) => touch(box, other))) return [];
    taken.push(box);
    return [{ text, point: [x, y] }];
  });
}
