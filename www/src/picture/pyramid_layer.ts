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
  type MixedChannel,
  PyramidSource,
  paletteStyle,
  paletteVariables,
} from "zarr-wasm/openlayers";
import { colormapColors } from "../scene/colormaps.js";
import type { FieldStyle, Scene, SceneChannel } from "../scene/scene.js";

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

/** The channels with a gamma, on which the shader depends. */
const curvesOf = (channels: readonly SceneChannel[]) =>
  channels.map(({ gamma, visible }) => visible && gamma !== 1).join();

export class PyramidLayer {
  readonly source: PyramidSource;
  readonly layer: WebGLTileLayer;
  readonly #scene: Scene;
  #channels: readonly SceneChannel[];
  #field: FieldStyle | undefined;

  constructor(scene: Scene, at: At, projection: ProjectionLike) {
    this.#scene = scene;
    this.#channels = scene.channels;
    this.#field = scene.field;
    const { pyramid, plane, places, isUpward, decode, warped } = scene;
    const channelAxis =
      scene.channels.length > 0 ? scene.axes.find(({ role }) => role === "c")?.axis : undefined;
    this.source = new PyramidSource({
      pyramid,
      plane,
      isUpward,
      projection,
      at: this.#namedAt(at),
      areLabels: scene.kind === "labels",
      ...(scene.channels.length > 0 ? { channels: scene.channels.map(({ index }) => index) } : {}),
      channelAxis: channelAxis ?? null,
      ...(warped ? { warped } : {}),
      ...(places ? { places: (_level, index) => places[index] as (typeof places)[number] } : {}),
      ...(decode ? { decode } : {}),
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

  /** Converts names of axes in the scene to those in the pyramid. */
  #namedAt(at: At): At {
    const { axes, pyramid } = this.#scene;
    const named = axes.map(({ name, axis, start }) => [pyramid.axes[axis]?.name ?? name, at[name] ?? start]);
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

  preload(at: At, signal?: AbortSignal): Promise<void> {
    return this.source.preload(this.#namedAt(at), signal ? { signal } : {});
  }

  /**
   * Changes style variables if channels are bands. Pictures of more channels are made again from
   * cached tiles.
   */
  setChannels(channels: readonly SceneChannel[]): void {
    const curves = curvesOf(this.#channels);
    this.#channels = channels;
    const { bands } = this.source;
    if (bands.isPicture) this.source.setMix(this.#visible());
    else if (curvesOf(channels) !== curves) this.layer.setStyle(this.#style());
    else this.layer.updateStyleVariables(channelVariables(bands, this.#bands()));
  }

  setField(field: FieldStyle): void {
    const before = this.#field;
    this.#field = field;
    this.source.setLog(field.log);
    const isSameMap = before?.colormap === field.colormap && before.reversed === field.reversed;
    if (isSameMap) this.layer.updateStyleVariables(paletteVariables(this.source.bands, windowOf(field)));
    else this.layer.setStyle(this.#style());
  }

  #visible(): MixedChannel[] {
    return this.#channels.filter(({ visible }) => visible).map(mixedOf);
  }

  #bands(): (MixedChannel | null)[] {
    return this.#channels.map((channel) => (channel.visible ? mixedOf(channel) : null));
  }

  #style() {
    const field = this.#field;
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
