/**
 * Marks on the picture as plain values: points, lines, boxes and polygons in map coordinates, their
 * colours, and their form in the page's URL. Plots say what lies under them.
 */

export type MarkKind = "point" | "line" | "box" | "polygon";

export type Position = readonly [x: number, y: number];

export interface Mark {
  kind: MarkKind;
  /** The index of its colour in the list, which no other mark has. */
  slot: number;
  /**
   * A point has one position, a box two corners, a line two positions or more, a polygon three or
   * more.
   */
  positions: readonly Position[];
}

/** How the plots of marks are shown, for the page's URL. */
export interface PlotChoice {
  show?: PlotKind;
  /** The name of the axis of a series. */
  axis?: string;
  /** The index of the channel. */
  channel?: number;
}

export type PlotKind = "series" | "profile" | "histogram";

/**
 * Colours that people with any colour vision can tell apart (Okabe and Ito, 2008), without yellow,
 * which is too light for lines on white.
 */
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#5b6770"];

/** Maximum number of marks, so that each has a colour of its own. */
export const MAX_MARKS = COLORS.length;

/** Maximum number of positions of a mark in a URL. */
const MAX_POSITIONS = 200;

export const colorOf = ({ slot }: Mark): string => COLORS[slot] ?? "#000000";

const NAMES: Record<MarkKind, string> = { point: "Point", line: "Line", box: "Box", polygon: "Polygon" };

/** The name of a mark among all marks: numbers count each kind. */
export function nameOf(mark: Mark, marks: readonly Mark[]): string {
  const alike = marks.filter(({ kind }) => kind === mark.kind);
  return `${NAMES[mark.kind]} ${alike.indexOf(mark) + 1}`;
}

/** Adds a mark with the first free colour. If there is none, the oldest mark goes. */
export function withMark(marks: readonly Mark[], kind: MarkKind, positions: readonly Position[]): Mark[] {
  const kept = marks.slice(Math.max(0, marks.length - MAX_MARKS + 1));
  const slot = COLORS.findIndex((_, at) => !kept.some((mark) => mark.slot === at));
  return [...kept, { kind, slot, positions }];
}

const COUNTS: Record<MarkKind, readonly [least: number, most: number]> = {
  point: [1, 1],
  line: [2, MAX_POSITIONS],
  box: [2, 2],
  polygon: [3, MAX_POSITIONS],
};

const isKind = (kind: string): kind is MarkKind => Object.hasOwn(COUNTS, kind);

const DIGITS = 9;

/** `kind:slot:x:y:x:y,…`. */
export const writeMarks = (marks: readonly Mark[]): string =>
  marks
    .map(({ kind, slot, positions }) =>
      [kind, slot, ...positions.flat().map((number) => Number(number.toPrecision(DIGITS)))].join(":"),
    )
    .join(",");

/** The marks in a URL. Those that are not valid are left out. */
export function readMarks(text: string): Mark[] {
  const marks: Mark[] = [];
  for (const part of text.split(",")) {
    const [kind = "", slot = "", ...words] = part.split(":");
    const numbers = words.map((word) => (word.trim() === "" ? Number.NaN : Number(word)));
    if (!isKind(kind) || !/^\d$/.test(slot) || !numbers.every(Number.isFinite)) continue;
    const [least, most] = COUNTS[kind];
    const count = numbers.length / 2;
    const isFree = Number(slot) < MAX_MARKS && !marks.some((mark) => mark.slot === Number(slot));
    if (!isFree || !Number.isInteger(count) || count < least || count > most) continue;
    const positions = Array.from(
      { length: count },
      (_, at): Position => [numbers[2 * at] as number, numbers[2 * at + 1] as number],
    );
    marks.push({ kind, slot: Number(slot), positions });
  }
  return marks;
}
