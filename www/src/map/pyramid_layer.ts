/**
 * Makes the OpenLayers layer of a scene: the package's tile source, and a style for the scene's
 * channels, field or labels. Another viewer needs only this file to draw a pyramid. `picture.ts`
 * puts the layer on a map.
 */
import WebGLTileLayer from "ol/layer/WebGLTile.js";
import type { ProjectionLike } from "ol/proj.js";
import {
  channelStyle,
  channelVariables,
  type LevelPlace,
  type MixedChannel,
  PyramidSource,
  paletteStyle,
  paletteVariables,
} from "zarr-wasm/openlayers";
import { colormapColors } from "../model/scene/colormaps.js";
import type { FieldStyle, Scene, SceneChannel } from "../model/scene/scene.js";

/** The number of colours of a palette. */
const COLORS = 256;

export type At = Readonly<Record<string, number>>;

function rgbOf(color: string): [number, number, number] {
  const [red = 255, green = 255, blue = 255] = (color.match(/[0-9a-f]{2}/gi) ?? []).map((part) =>
    Number.parseInt(part, 16),
  );
  return [red, green, blue];
}

const mixedOf = ({ index, color, window, gamma }: SceneChannel): MixedChannel => ({
  channel: index,
  color: rgbOf(color),
  window,
  gamma,
});

/** The range of a scene's values, as far as its limits tell. */
function rangeOf({ field, channels }: Scene): [number, number] {
  if (field) return field.range;
  return [
    Math.min(...channels.map(({ limits: [low] }) => low)),
    Math.max(...channels.map(({ limits: [, high] }) => high)),
  ];
}

/** What the shader depends on: the colours of a field, or the channels with a gamma. */
const shaderOf = ({ field, channels }: Scene) =>
  field
    ? `${field.colormap} ${field.reversed}`
    : channels.map(({ gamma, visible }) => visible && gamma !== 1).join();

export class PyramidLayer {
  readonly source: PyramidSource;
  readonly layer: WebGLTileLayer;
  #scene: Scene;

  constructor(scene: Scene, at: At, projection: ProjectionLike) {
    this.#scene = scene;
    const { pyramid, plane, axes, places, decode, warped, channels } = scene;
    const channelAxis = channels.length > 0 ? axes.find(({ role }) => role === "c")?.axis : undefined;
    this.source = new PyramidSource({
      pyramid,
      plane,
      projection,
      at: this.#namedAt(at),
      areLabels: scene.kind === "labels",
      labelColors: scene.labelFacts?.colors,
      channels: channels.length > 0 ? channels.map(({ index }) => index) : undefined,
      channelAxis: channelAxis ?? null,
      warped,
      places: (_level, index) => places[index] as LevelPlace,
      decode,
      range: rangeOf(scene),
    });
    if (this.source.bands.isPicture) this.source.setMix(this.#visible());
    if (scene.field) this.source.setLog(scene.field.log);
    this.layer = new WebGLTileLayer({
      source: this.source,
      style: this.#style(),
      cacheSize: this.source.cacheSize,
      // Coarser tiles are visible until the finer ones are loaded.
      preload: Number.POSITIVE_INFINITY,
    });
  }

  /**
   * Converts names of axes in the scene to those in the pyramid. An axis with one element has it at
   * every index, as labels of one plane over an image with several.
   */
  #namedAt(at: At): At {
    const { axes, pyramid } = this.#scene;
    const named = axes.map(({ name, axis, start, length }) => [
      pyramid.axes[axis]?.name ?? name,
      length === 1 ? 0 : (at[name] ?? start),
    ]);
    return Object.fromEntries(named);
  }

  setAt(at: At): void {
    this.#preloadNone();
    this.source.setAt(this.#namedAt(at));
  }

  /**
   * A complete picture stays until the new one is loaded. Coarser tiles are needed only when the
   * camera moves. Until then reading and packing them would slow each step.
   */
  #preloadNone(): void {
    const map = this.layer.getMapInternal();
    if (!map || this.source.isReading || this.layer.getPreload() === 0) return;
    this.layer.setPreload(0);
    map.once("movestart", () => this.layer.setPreload(Number.POSITIVE_INFINITY));
  }

  preload(at: At): Promise<void> {
    return this.source.preload(this.#namedAt(at));
  }

  /**
   * Draws the channels or the style of a scene. It changes style variables if it can. Pictures of
   * more channels than bands are made again from cached tiles.
   */
  restyle(scene: Scene): void {
    const before = this.#scene;
    this.#scene = scene;
    const { field, channels } = scene;
    if (field) this.source.setLog(field.log);
    const { bands } = this.source;
    if (bands.isPicture) {
      if (channels !== before.channels) this.source.setMix(this.#visible());
    } else if (shaderOf(scene) !== shaderOf(before)) this.layer.setStyle(this.#style());
    else if (field) this.layer.updateStyleVariables(paletteVariables(bands, windowOf(field)));
    else this.layer.updateStyleVariables(channelVariables(bands, this.#bands()));
  }

  #visible(): MixedChannel[] {
    return this.#scene.channels.filter(({ visible }) => visible).map(mixedOf);
  }

  #bands(): (MixedChannel | null)[] {
    return this.#scene.channels.map((channel) => (channel.visible ? mixedOf(channel) : null));
  }

  #style() {
    const { field } = this.#scene;
    if (!field) return channelStyle(this.source.bands, this.#bands());
    const colors = colormapColors(field.colormap, COLORS, field.reversed);
    return paletteStyle(this.source.bands, { colors, window: windowOf(field) });
  }
}

/** The ends of a field's colours in units of its tiles: logarithms for a logarithmic scale. */
function windowOf({ range: [low, high], log }: FieldStyle): [number, number] {
  if (!log) return [low, high];
  const top = high > 0 ? high : 1;
  // Numbers up to zero have no logarithm, so the scale starts three decades below its end.
  return [Math.log10(low > 0 ? low : top / 1000), Math.log10(top)];
}
