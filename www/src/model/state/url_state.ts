/**
 * The state of the page as the query of its URL, so that a copied URL opens the same picture. It
 * does not touch the page: `app/page_history.ts` does.
 *
 * `source` is the data set, `path` the node in it, `variable` the array of a group, `plane` the
 * horizontal and vertical axis, `at` the indices of the other axes, `view` the centre and the map
 * units per CSS pixel, `level` a fixed level of the pyramid, `values` whether values are shown as
 * they are stored. `channels`, `colours` with `limits`, `labels` and `layers` say how it is drawn.
 * `marks` are points, lines and areas on the picture, and `plot` says what is plotted of them.
 * `planes` is the crosshair of three planes; `compare` says how the picture is compared, and `with`
 * is the state of what it is compared with. `structure` says how its chunks are coloured, `play`
 * how fast it plays, and `panels` which panels are open. Missing parameters have defaults.
 */

import type { Camera, FieldStyle } from "../scene/scene.js";
import type { ChannelState, SceneStyle } from "../scene/scene_state.js";
import { type Comparison, readComparison, writeComparison } from "./comparison.js";
import { type Mark, type PlotChoice, readMarks, writeMarks } from "./marks.js";

export interface UrlState extends SceneStyle {
  source?: string;
  path?: string;
  variable?: string;
  plane?: { x: string; y: string };
  /** Whether the values of a field are not unpacked. */
  values?: "stored";
  at?: Record<string, number>;
  view?: Camera;
  level?: number;
  layers?: string[];
  marks?: readonly Mark[];
  plot?: PlotChoice;
  /** Three planes, with the indices of the crosshair along the axes of the picture. */
  planes?: Readonly<Record<string, number>>;
  compare?: Comparison;
  /** What the picture is compared with: where it differs from the picture. */
  with?: UrlState;
  /** What the colours of the grid of chunks tell. Without it the grid is hidden. */
  structure?: string;
  play?: PlayState;
  /** The open panels, if the user has chosen them. */
  panels?: string[];
}

/** How dimensions are played. */
export interface PlayState {
  /** Steps per second. */
  speed: number;
  isLoop: boolean;
}

/** The state in a query. That of `with` has no other `with` in it, so no query nests deeply. */
export function readUrlState(query: string): UrlState {
  const parameters = new URLSearchParams(query);
  const other = parameters.get("with");
  return {
    ...readPicture(parameters),
    with: other === null ? undefined : readPicture(new URLSearchParams(other)),
  };
}

function readPicture(parameters: URLSearchParams): UrlState {
  const text = (name: string) => parameters.get(name) || undefined;
  const path = parameters.get("path");
  const level = Number(text("level") ?? Number.NaN);
  return {
    source: text("source"),
    ...(path !== null && { path }),
    variable: text("variable"),
    plane: readPlane(text("plane")),
    values: text("values") === "stored" ? "stored" : undefined,
    at: readPairs(text("at"), isIndex),
    view: readView(text("view")),
    level: isIndex(level) ? level : undefined,
    channels: readChannels(text("channels")),
    field: readField(text("colours"), text("limits")),
    labels: parameters.has("labels") ? (readPairs(text("labels"), isShare) ?? {}) : undefined,
    layers: parameters.has("layers") ? list(text("layers")) : undefined,
    marks: parameters.has("marks") ? readMarks(text("marks") ?? "") : undefined,
    plot: readPlot(text("plot")),
    planes: parameters.has("planes") ? (readPairs(text("planes"), isIndex) ?? {}) : undefined,
    compare: readComparison(text("compare") ?? ""),
    structure: text("structure"),
    play: readPlay(text("play")),
    panels: parameters.has("panels") ? list(text("panels")) : undefined,
  };
}

/** The query of a state. Slashes, commas and colons are not escaped, so it is readable. */
export function writeUrlState(state: UrlState): string {
  const { source, path, variable, plane, values, at, view, level, channels, field, labels, layers } = state;
  const { marks, plot, planes, compare, with: other, structure, play, panels } = state;
  const parts: [string, string | undefined][] = [
    ["source", source],
    ["path", path],
    ["variable", variable],
    ["plane", plane && `${escaped(plane.x)},${escaped(plane.y)}`],
    ["values", values],
    ["at", at && writePairs(at)],
    ["view", view && [view.x, view.y, view.resolution].map((value) => short(value, 6)).join(",")],
    ["level", level === undefined ? undefined : String(level)],
    ["channels", channels?.map(writeChannel).join(",")],
    ["colours", field?.colormap && [field.colormap, ...flags(field)].join(",")],
    ["limits", field?.range?.map((value) => short(value, 9)).join(",")],
    ["labels", labels && writePairs(labels)],
    ["layers", layers?.join(",")],
    ["marks", marks && writeMarks(marks)],
    ["plot", plot && writePlot(plot)],
    ["planes", planes && writePairs(planes)],
    ["compare", compare && writeComparison(compare)],
    ["with", other && writeUrlState(other).slice(1)],
    ["structure", structure],
    ["play", play && `${play.speed}${play.isLoop ? "" : ",once"}`],
    ["panels", panels?.join(",")],
  ];
  const parameters = new URLSearchParams(
    parts.filter((part): part is [string, string] => part[1] !== undefined),
  );
  const readable = { "%2F": "/", "%2C": ",", "%3A": ":" };
  return `?${parameters.toString().replace(/%2F|%2C|%3A/g, (code) => readable[code as keyof typeof readable])}`;
}

/** `show,axis,channel`; what is not chosen is empty. */
function writePlot({ show, axis, channel }: PlotChoice): string | undefined {
  const words = [show ?? "", escaped(axis ?? ""), String(channel ?? "")];
  const last = words.findLastIndex((word) => word !== "");
  return last < 0 ? undefined : words.slice(0, last + 1).join(",");
}

function readPlot(text: string | undefined): PlotChoice | undefined {
  if (text === undefined) return undefined;
  const [show = "", axis = "", channel = ""] = text.split(",");
  const kind = KINDS.find((known) => known === show);
  return {
    ...(kind && { show: kind }),
    ...(axis && { axis: unescaped(axis) }),
    ...(channel !== "" && isIndex(Number(channel)) && { channel: Number(channel) }),
  };
}

const KINDS = ["series", "profile", "histogram"] as const;

const isIndex = (value: number) => Number.isSafeInteger(value) && value >= 0;
const isShare = (value: number) => value >= 0 && value <= 1;
const short = (value: number, digits: number) => String(Number(value.toPrecision(digits)));

/** Escapes commas and colons in a name, because they separate names. */
const escaped = (name: string) => name.replace(/[%,:]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
const unescaped = (name: string) =>
  name.replace(/%(25|2c|3a)/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const list = (text: string | undefined): string[] => (text ? text.split(",") : []);

/** The numbers in a text; none if one is not finite, or if their count differs. */
function numbers(text: string | undefined, count: number): number[] {
  const values = list(text).map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  return values.every(Number.isFinite) && values.length === count ? values : [];
}

const writePairs = (pairs: Record<string, number>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${escaped(name)}:${short(value, 15)}`)
    .join(",");

function readPairs(
  text: string | undefined,
  isRight: (value: number) => boolean,
): Record<string, number> | undefined {
  const pairs: Record<string, number> = {};
  for (const part of list(text)) {
    const [name = "", value = ""] = part.split(":");
    if (name !== "" && value !== "" && isRight(Number(value))) pairs[unescaped(name)] = Number(value);
  }
  return Object.keys(pairs).length > 0 ? pairs : undefined;
}

function readPlane(text: string | undefined): UrlState["plane"] {
  const [x, y] = list(text).map(unescaped);
  return x && y && x !== y ? { x, y } : undefined;
}

function readPlay(text: string | undefined): PlayState | undefined {
  const [speed, how] = list(text);
  return Number(speed) > 0 ? { speed: Number(speed), isLoop: how !== "once" } : undefined;
}

function readView(text: string | undefined): Camera | undefined {
  const [x, y, resolution] = numbers(text, 3);
  if (x === undefined || y === undefined || resolution === undefined || !(resolution > 0)) return undefined;
  return { x, y, resolution };
}

const writeChannel = ({ index, color, window: [low, high], gamma, visible }: ChannelState): string =>
  [index, color.slice(1), short(low, 9), short(high, 9), short(gamma, 3), visible ? "on" : "off"].join(":");

function readChannels(text: string | undefined): ChannelState[] | undefined {
  const channels = list(text).flatMap((part) => {
    const [index, color = "", low, high, gamma, visible] = part.split(":");
    const [at, from, to, power] = [index, low, high, gamma].map(Number);
    const isRight = isIndex(at ?? -1) && (from ?? 0) < (to ?? 0) && (power ?? 0) > 0;
    if (!isRight || !/^[\da-f]{6}$/i.test(color)) return [];
    const window: [number, number] = [from ?? 0, to ?? 1];
    return [{ index: at ?? 0, color: `#${color}`, window, gamma: power ?? 1, visible: visible !== "off" }];
  });
  return channels.length > 0 ? channels : undefined;
}

function flags({ log, reversed }: Partial<FieldStyle>): string[] {
  return [...(log ? ["log"] : []), ...(reversed ? ["reversed"] : [])];
}

function readField(colours: string | undefined, limits: string | undefined): UrlState["field"] {
  const [colormap, ...flags] = list(colours);
  const [low = 0, high = 0] = numbers(limits, 2);
  if (!colormap && !(low < high)) return undefined;
  return {
    ...(colormap && { colormap, log: flags.includes("log"), reversed: flags.includes("reversed") }),
    ...(low < high && { range: [low, high] }),
  };
}
