/**
 * Draws the legend, the scale bar and a caption on a canvas, as the page shows them as elements.
 */

import { colormapColors } from "../../model/scene/colormaps.js";
import { scaleOf } from "../../model/scene/colour_scale.js";
import type { FieldStyle, Scene } from "../../model/scene/scene.js";

/** A part of the paper, in CSS pixels. */
export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Paper {
  context: CanvasRenderingContext2D;
  /** The size of a CSS pixel of the page. */
  pixel: number;
  /** The picture that the annotations are of. */
  area: Area;
  /** Whether texts are light on dark, as on pictures of a microscope. */
  isDark: boolean;
}

/** Sizes in CSS pixels. */
const FONT = 12;
const LINE = 16;
const MARGIN = 12;
const PADDING = 8;
const BAR = { width: 240, height: 12 };
const DOT = 8;
/** Maximum number of channels, because more would cover the picture. */
const MAX_CHANNELS = 8;
const COLORS = 64;

const inkOf = ({ isDark }: Paper) => (isDark ? "#e4eaec" : "#182125");

/** Draws in CSS pixels from the left upper corner of a box, behind which is a plate of glass. */
function inBox(
  paper: Paper,
  { width, height, corner }: { width: number; height: number; corner: "left" | "right" | "top" },
  draw: (context: CanvasRenderingContext2D) => void,
): void {
  const { context, pixel, isDark, area } = paper;
  const left = area.left + (corner === "right" ? area.width - MARGIN - width : MARGIN);
  const top = area.top + (corner === "top" ? MARGIN : area.height - MARGIN - height);
  context.save();
  context.scale(pixel, pixel);
  context.translate(left, top);
  context.fillStyle = isDark ? "rgb(20 25 28 / 82%)" : "rgb(255 255 255 / 88%)";
  context.beginPath();
  context.roundRect(0, 0, width, height, 8);
  context.fill();
  context.fillStyle = inkOf(paper);
  context.strokeStyle = inkOf(paper);
  context.font = `${FONT}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  draw(context);
  context.restore();
}

/** The width of a text in CSS pixels. */
function widthOf({ context }: Paper, text: string): number {
  context.save();
  context.font = `${FONT}px system-ui, sans-serif`;
  const { width } = context.measureText(text);
  context.restore();
  return width;
}

/** Nothing if there is nothing to tell apart. */
export function drawLegend(paper: Paper, scene: Scene): void {
  if (scene.field) drawBar(paper, scene, scene.field);
  else if (scene.kind === "image" && scene.channels.length > 1) drawChannels(paper, scene);
}

function drawBar(paper: Paper, { title, unit }: Scene, style: FieldStyle): void {
  const words = unit ? `${title} ${unit}` : title;
  const width = Math.max(BAR.width, Math.min(widthOf(paper, words), 2 * BAR.width)) + 2 * PADDING;
  const across = width - 2 * PADDING;
  const height = 2 * PADDING + LINE + BAR.height + LINE + 4;
  inBox(paper, { width, height, corner: "right" }, (context) => {
    context.fillText(words, PADDING, PADDING + LINE / 2, across);
    const colors = context.createLinearGradient(PADDING, 0, PADDING + across, 0);
    const stops = colormapColors(style.colormap, COLORS, style.reversed);
    for (const [at, color] of stops.entries()) colors.addColorStop(at / (COLORS - 1), color);
    const ink = context.fillStyle;
    context.fillStyle = colors;
    context.fillRect(PADDING, PADDING + LINE + 2, across, BAR.height);
    context.fillStyle = ink;
    for (const { text, share } of scaleOf(style)) {
      const inner = share > 0.92 ? "right" : "center";
      context.textAlign = share < 0.08 ? "left" : inner;
      context.fillText(text, PADDING + share * across, height - PADDING - LINE / 2);
    }
  });
}

function drawChannels(paper: Paper, { channels }: Scene): void {
  const visible = channels.filter((channel) => channel.visible);
  if (visible.length === 0) return;
  const more = visible.length > MAX_CHANNELS ? [`and ${visible.length - MAX_CHANNELS} more`] : [];
  const rows = [...visible.slice(0, MAX_CHANNELS).map(({ name }) => name), ...more];
  const width = Math.max(...rows.map((name) => widthOf(paper, name))) + 3 * PADDING + DOT;
  const height = rows.length * LINE + 2 * PADDING;
  inBox(paper, { width, height, corner: "right" }, (context) => {
    const ink = context.fillStyle;
    for (const [at, name] of rows.entries()) {
      const middle = PADDING + (at + 0.5) * LINE;
      const color = at < MAX_CHANNELS ? visible[at]?.color : undefined;
      if (color) {
        context.fillStyle = color;
        context.beginPath();
        context.arc(PADDING + DOT / 2, middle, DOT / 2, 0, 2 * Math.PI);
        context.fill();
      }
      context.fillStyle = ink;
      context.fillText(name, 2 * PADDING + DOT, middle);
    }
  });
}

/** `length` is that of the bar in CSS pixels. */
export function drawScaleBar(paper: Paper, { text, length }: { text: string; length: number }): void {
  const width = length + 2 * PADDING;
  const height = LINE + 2 * PADDING;
  inBox(paper, { width, height, corner: "left" }, (context) => {
    context.textAlign = "center";
    context.fillText(text, width / 2, height / 2 - 2);
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(PADDING, height - PADDING - 6);
    context.lineTo(PADDING, height - PADDING);
    context.lineTo(width - PADDING, height - PADDING);
    context.lineTo(width - PADDING, height - PADDING - 6);
    context.stroke();
  });
}

/** A line at the top, such as the date of a frame. */
export function drawCaption(paper: Paper, text: string): void {
  const width = widthOf(paper, text) + 2 * PADDING;
  inBox(paper, { width, height: LINE + 2 * PADDING, corner: "top" }, (context) => {
    context.fillText(text, PADDING, PADDING + LINE / 2);
  });
}
