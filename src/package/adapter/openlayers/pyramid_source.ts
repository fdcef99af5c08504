/**
 * An OpenLayers source of a pyramid's levels as tiles. It reads the tiles in view, nearest first,
 * and cancels the reads of tiles that left the view. It caches elements, so changes of colours,
 * repeated steps and values under the pointer need no request.
 *
 * Styles define the colours (`textures.ts`). OpenLayers uploads at most four bands without
 * rearranging them on the page. If there are more, the source makes pictures.
 */

import type DataTile from "ol/DataTile.js";
import type OpenLayersMap from "ol/Map.js";
import DataTileSource from "ol/source/DataTile.js";
import { DECODE_RULE } from "../../../api/read/rules.ts";
import type { PyramidLevel } from "../../../conventions/ts/pyramid_level.ts";
import type { Pyramid } from "../../../conventions/ts/pyramid_model.ts";
import { optionsOf, type Rules, SIGNAL } from "../../../engine/ts/model/argument.ts";
import { ZarrError } from "../../../engine/ts/model/errors.ts";
import { findable, worksBehindProxies } from "../../../engine/ts/model/proxies.ts";
import { pauseIfDue } from "../../../engine/ts/model/waiting.ts";
import { arrayTiles, PointValues, type TileNumber, TileRegions } from "./array_tiles.ts";
import {
  channelAxisOf,
  gridOf,
  LevelGrid,
  levelsOf,
  meanElement,
  type WarpedMap,
  warpedLevels,
  warpedTiles,
} from "./placement.ts";
import type { PyramidSourceOptions, TileAt, TileProgress, TileReading } from "./source_options.ts";
import {
  type BandLayout,
  bandsOf,
  colorsOf,
  type MixedChannel,
  mixTile,
  type Packing,
  packTile,
  type TileElements,
  VALUE_SCALE,
  valuesOf,
} from "./textures.ts";
import { isShort, type MapExtent, type TileLevel, tileRange, tileSpans, tilesIn } from "./tile_levels.ts";
import { LookAhead, type RunningTile, RunningTiles, TileReader, type TileRegion } from "./tile_reader.ts";

const MIB = 2 ** 20;
/** OpenLayers needs the tiles of two zoom levels for a view. */
const MIN_TEXTURES = 48;
const MAX_TEXTURES = 512;
const MIN_TILES_IN_VIEW = 16;
/** Priorities of reads. The coarsest level comes first, because finer tiles cover it later. */
const PRIORITY = { coarsest: 1000, view: 100, coarser: 1, ahead: -1 };

const RULES: Rules<PyramidSourceOptions> = {
  pyramid: "an object",
  plane: "an object",
  channelAxis: "a number or null",
  places: "a function",
  warped: "an object",
  isUpward: "a boolean",
  projection: "a text or an object",
  decode: DECODE_RULE,
  labelColors: "a text or an object",
  at: "an object",
  channels: "a list of numbers",
  range: "a list of numbers",
  cacheBytes: "a number",
  margin: "a number",
  areLabels: "a boolean",
};

const PRELOAD_RULES: Rules<{ signal?: AbortSignal; priority?: number }> = {
  ...SIGNAL,
  priority: "a priority",
};

/**
 * A source of OpenLayers: the levels of a pyramid as tiles. It reads the tiles in view, nearest
 * first, and cancels the reads of tiles that left the view. It caches elements, so that changes of
 * colours and values under the pointer need no request. `channelStyle` and `paletteStyle` make the
 * styles of its layer.
 *
 *     const source = new PyramidSource({ pyramid: image });
 *     const layer = new WebGLTileLayer({ source, style: channelStyle(source.bands, channels) });
 *     source.follow(map);
 */
export class PyramidSource extends DataTileSource {
  /** The pyramid. */
  readonly pyramid: Pyramid;
  /** The extent of the levels on the map. */
  readonly extent: MapExtent;
  /** Is called with the progress of the tiles in view, if it has changed. */
  onProgress: (progress: TileProgress) => void = () => {};
  /** Is called with the error of a tile that could not be read. */
  onError: (error: unknown) => void = () => {};

  readonly #regions: TileRegions;
  readonly #warped: WarpedMap | undefined;
  readonly #reader: TileReader;
  readonly #values: PointValues;
  readonly #bands: BandLayout;
  readonly #packing: Packing;
  readonly #cacheBytes: number;
  readonly #margin: number;
  readonly #running = new RunningTiles();
  readonly #ahead: LookAhead;
  readonly #areLabels: boolean;
  #channels: readonly number[];
  /** Whether `at` says which channel is drawn, because `channels` was not given. */
  readonly #isChannelOfAt: boolean;
  #mix: readonly MixedChannel[] = [];
  #isMixLate = false;
  /** The number of mixes, and of steps with a failed tile. */
  #mixes = 0;
  #failures = 0;
  #hasFailed = false;
  #reported: TileProgress = { wanted: 0, done: 0 };
  #map: OpenLayersMap | undefined;
  /** The tile whose loader runs. */
  #loading: DataTile | undefined;

  /**
   * @param options The pyramid, and how it is drawn.
   * @throws an `Argument` error for unknown or invalid options.
   * @throws an `UnsupportedError` for levels whose axes are turned against those of the map.
   */
  constructor(options: PyramidSourceOptions) {
    optionsOf(options, RULES);
    const { pyramid, plane = pyramid.plane, projection, areLabels = false } = options;
    const { warped, decode, range, labelColors = "labels" } = options;
    const levels = warped ? warpedLevels(pyramid.levels, plane, warped) : levelsOf(pyramid, plane, options);
    const finest = levels.at(-1) as TileLevel;
    const axes = { ...plane, c: channelAxisOf(pyramid, plane, options.channelAxis) };
    const regions = new TileRegions(pyramid, levels, axes, options.at ?? {});
    const channels = options.channels ? regions.channels(options.channels) : [regions.channelOf()];
    const level = pyramid.levels[0] as PyramidLevel;
    const { dtype } = level.array;
    const isFull = levels.every((level) => !isShort(level, finest));
    const isPacked = decode !== undefined && level.isPacked;
    const mayMiss = warped !== undefined || !isFull;
    const from = { dtype, isPacked, mayMiss, areLabels, range };
    const bands = bandsOf(from, channels.length);
    super({
      loader: (z, column, row) => this.#load(z, column, row),
      tileGrid: new LevelGrid(gridOf(levels, finest)),
      projection: projection ?? "EPSG:3857",
      bandCount: bands.count,
      interpolate: false,
      transition: 0,
      wrapX: false,
    });
    findable(this);
    this.setTileSizes(levels.map(({ tileWidth, tileHeight }) => [tileWidth, tileHeight]));
    this.pyramid = pyramid;
    this.extent = finest.extent;
    this.#channels = channels;
    this.#areLabels = areLabels;
    this.#bands = bands;
    this.#regions = regions;
    this.#isChannelOfAt = options.channels === undefined;
    this.#warped = warped;
    this.#cacheBytes = options.cacheBytes ?? 256 * MIB;
    this.#margin = options.margin ?? 1;
    const { isByte: asBytes, hasMask, origin, unit } = bands;
    this.#packing = { asBytes, hasMask, isLog: false, origin, unit };
    const fetch = warped
      ? warpedTiles(pyramid.levels, axes.c, warped, decode)
      : arrayTiles(pyramid.levels, axes, { decode, labelColors: areLabels ? labelColors : undefined });
    this.#reader = new TileReader(fetch, this.#cacheBytes);
    this.#values = new PointValues(options, this.#regions, this.#reader);
    this.#ahead = new LookAhead(this.#reader, PRIORITY.ahead);
    this.setKey(this.#shownKey);
  }

  get #levels(): readonly TileLevel[] {
    return this.#regions.levels;
  }

  /** The layout of a tile's bands, which styles need. `setLog` changes it. */
  get bands(): BandLayout {
    return this.#packing.isLog ? { ...this.#bands, ...VALUE_SCALE } : this.#bands;
  }

  /** Size in bytes of the largest texture of a tile. */
  get #textureBytes(): number {
    const { count, isByte } = this.bands;
    const texels = this.#levels.map(({ tileWidth, tileHeight }) => tileWidth * tileHeight);
    return Math.max(...texels) * count * (isByte ? 1 : 4);
  }

  /** The layer's option `cacheSize`: the number of tiles that fit into the texture memory. */
  get cacheSize(): number {
    const fitting = Math.floor(this.#cacheBytes / this.#textureBytes);
    return Math.min(Math.max(fitting, MIN_TEXTURES), MAX_TEXTURES);
  }

  /**
   * Returns the coarsest resolution at which a map of this size needs no more tiles than the cache
   * holds. An array without coarse levels may be too large to be shown completely.
   *
   * @param options The width and the height of the map, in pixels.
   */
  widestResolution([width, height]: readonly [width: number, height: number]): number {
    const { tileWidth, tileHeight, stepX, stepY } = this.#levels[0] as TileLevel;
    const tiles = Math.max(Math.floor(this.#cacheBytes / this.#textureBytes), MIN_TILES_IN_VIEW);
    const area = tiles * tileWidth * tileHeight * stepX * stepY;
    return Math.sqrt(area / Math.max(width * height, 1));
  }

  /**
   * Sets indices of axes. The old picture stays until the new tiles are loaded.
   *
   * @param at The indices. Those of other axes stay.
   * @throws an `InvalidSelectionError` for a name or an index that is not there.
   */
  setAt(at: TileAt): void {
    this.#regions.at = this.#regions.with(at);
    if (this.#isChannelOfAt) this.#channels = [this.#regions.channelOf()];
    this.#renew();
  }

  /** The indices of the axes other than those of the plane. */
  get at(): TileAt {
    return this.#regions.at;
  }

  /** The indices along the axis of channels that are read: one per band, or those of the mix. */
  get channels(): readonly number[] {
    return this.#channels;
  }

  /**
   * Sets the channels of pictures. Tiles are mixed again from cached elements. Only new channels
   * are requested.
   *
   * @param mix The channels, and how they are drawn.
   */
  setMix(mix: readonly MixedChannel[]): void {
    this.#mix = mix;
    if (!this.bands.isPicture || this.#areLabels) return;
    this.#channels = this.#regions.channels(mix.map(({ channel }) => channel));
    // While tiles are being mixed, the latest mix waits. Otherwise a user who drags a window would
    // never see a complete picture.
    if (this.#running.size > 0 && this.#mixes > 0) this.#isMixLate = true;
    else this.#remix();
  }

  #remix(): void {
    this.#isMixLate = false;
    this.#mixes += 1;
    this.#renew();
  }

  /**
   * Sets whether bands have decimal logarithms.
   *
   * @param isLog Whether they have them.
   */
  setLog(isLog: boolean): void {
    if (this.#packing.isLog === isLog) return;
    this.#packing.isLog = isLog;
    this.#renew();
  }

  /**
   * Draws one level at every zoom.
   *
   * @param level The index of the level; null follows the zoom.
   */
  setLevel(level: number | null): void {
    const z = level === null ? -1 : this.#levels.findIndex((own) => own.level === level);
    (this.tileGrid as LevelGrid).forced = z < 0 ? null : z;
    this.changed();
  }

  /**
   * Returns the index of the pyramid's level for a resolution.
   *
   * @param resolution Map units for a CSS pixel.
   */
  levelFor(resolution: number): number {
    return this.#levels[this.#zFor(resolution)]?.level ?? 0;
  }

  /**
   * Returns the map units per element of a level, across and down. For a warped map they are means.
   *
   * @param level The index of the level.
   */
  elementSize(level: number): [number, number] {
    const array = this.pyramid.levels[level];
    if (this.#warped && array) return meanElement(array, this.#regions.axes, this.#warped);
    const own = this.#levels.find((other) => other.level === level) ?? this.#levels.at(-1);
    return own ? [own.stepX, own.stepY] : [1, 1];
  }

  /**
   * Follows a map: after every frame it cancels reads of tiles that left the view, and prefetches
   * those around it if there are no other reads.
   *
   * @param map The map.
   * @returns a function that stops it.
   */
  follow(map: OpenLayersMap): () => void {
    this.#map = map;
    const look = () => this.#look();
    map.on("postrender", look);
    return () => {
      map.un("postrender", look);
      this.#map = undefined;
      this.#running.cancel(() => false);
      this.#ahead.want(new Map(), []);
    };
  }

  /**
   * Returns the cached values at a point of the map, from the visible level.
   *
   * @param x The map coordinate of the point, across.
   * @param y The map coordinate of the point, up.
   * @param resolution Map units for a CSS pixel.
   * @returns the values; null outside of the array.
   */
  reading(x: number, y: number, resolution: number): TileReading | null {
    return this.#values.cached([x, y], this.#zFor(resolution), this.#channels);
  }

  /**
   * Reads the values at a point of the map. It requests those that are not cached: labels, evicted
   * tiles, and the element of a warped map.
   *
   * @param x The map coordinate of the point, across.
   * @param y The map coordinate of the point, up.
   * @param resolution Map units for a CSS pixel.
   * @param signal Aborts the read.
   * @returns the values; null outside of the array.
   */
  async read(x: number, y: number, resolution: number, signal?: AbortSignal): Promise<TileReading | null> {
    const reading = this.reading(x, y, resolution);
    return reading && this.#values.read(reading, [x, y], signal);
  }

  /**
   * Reads the tiles of another step for the current view.
   *
   * @param at The indices of the step.
   */
  async preload(
    at: TileAt,
    options: {
      /** Aborts the reads. */
      signal?: AbortSignal;
      /** Reads with a higher number come first. Default: −1, after all others. */
      priority?: number;
    } = {},
  ): Promise<void> {
    optionsOf(options, PRELOAD_RULES);
    const signal = options.signal ?? new AbortController().signal;
    const priority = options.priority ?? PRIORITY.ahead;
    const channel = this.#regions.channelOf(at);
    const channels = this.#isChannelOfAt ? [channel] : this.#channels;
    const regions = this.#visible(0).map((tile) => this.#regions.ofTile(tile, at));
    await Promise.all(
      regions.map((region) => region && this.#reader.read(region, channels, { signal, priority })),
    );
  }

  /** Iterates over the visible numbers of the cached tiles: a list for each tile and channel. */
  *valuesInView(): Generator<{ channel: number; values: Float64Array }> {
    for (const tile of this.#visible(0)) {
      const region = this.#regions.ofTile(tile);
      if (!region) continue;
      for (const channel of this.#channels) {
        const found = this.#reader.kept(region, channel);
        if (found) yield { channel, values: valuesOf(found, region) };
      }
    }
  }

  /** Whether a tile of this step could not be read, so that the picture stays incomplete. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Whether tiles of the view are being read. */
  get isReading(): boolean {
    return this.#running.size > 0;
  }

  /** @internal OpenLayers calls it. */
  override getTile(...args: Parameters<DataTileSource["getTile"]>): DataTile {
    const [z, column, row] = args;
    const level = this.#levels[z];
    // Levels have different edges. A tile that only a finer level has is not drawn.
    if (!level || !tileSpans(level, column, row)) return null as unknown as DataTile;
    const tile = super.getTile(...args) as DataTile;
    const load = tile.load;
    tile.load = () => {
      this.#loading = tile;
      load.call(tile);
      this.#loading = undefined;
    };
    return tile;
  }

  #zFor(resolution: number): number {
    return (this.tileGrid as LevelGrid).getZForResolution(resolution);
  }

  /**
   * Draws other tiles. Their key depends on their contents, so an earlier step uses its remaining
   * textures.
   */
  #renew(): void {
    if (this.#hasFailed) this.#failures += 1;
    const key = this.#shownKey;
    if (key === this.getKey()) return;
    this.#hasFailed = false;
    this.#running.cancel(() => false);
    this.setKey(key);
  }

  get #shownKey(): string {
    return JSON.stringify([this.at, this.#packing.isLog, this.#mixes, this.#failures]);
  }

  #load(z: number, column: number, row: number): Promise<Uint8Array | Float32Array> {
    const region = this.#regions.ofTile({ z, column, row });
    if (!region) throw new ZarrError("Argument", `there is no tile ${column}, ${row} of level ${z}`);
    const running: RunningTile = { z, column, row, controller: new AbortController(), tile: this.#loading };
    this.#running.add(running);
    this.#report();
    return new Promise((resolve, reject) => {
      this.#read(region, running).then(
        (data) => {
          if (!this.#running.end(running, true)) return;
          resolve(data);
          this.#report();
        },
        (error: unknown) => {
          // A cancelled read must not reject, because OpenLayers would mark the tile as broken.
          if (!this.#running.end(running, false)) return;
          this.#hasFailed = true;
          reject(error);
          this.#report();
          this.onError(error);
        },
      );
    });
  }

  async #read(region: TileRegion, { z, controller: { signal } }: RunningTile) {
    const finest = this.#levels.length - 1;
    const wanted = this.#map?.getView().getResolution();
    const shown = wanted === undefined ? finest : this.#zFor(wanted);
    const behind = z === 0 ? PRIORITY.coarsest : PRIORITY.coarser;
    const priority = z === shown ? PRIORITY.view : behind;
    const elements = await this.#reader.read(region, this.#channels, { signal, priority });
    // Otherwise all cached tiles would be packed and uploaded in one task.
    await pauseIfDue();
    signal.throwIfAborted();
    if (!this.bands.isPicture) return packTile(region.level, region, elements, this.#packing);
    if (this.#areLabels) return colorsOf(region.level, region, elements[0] as TileElements);
    const channels = elements.flatMap((own, at) => {
      const how = this.#mix[at];
      return how ? [{ ...own, ...how }] : [];
    });
    return mixTile(region.level, region, channels, signal);
  }

  /** The visible level and extent. Null while the map has no view. */
  #onMap(): { extent: number[]; shown: number } | null {
    const view = this.#map?.getView();
    const [size, resolution] = [this.#map?.getSize(), view?.getResolution()];
    if (!view?.isDef() || !size || resolution === undefined) return null;
    return { extent: view.calculateExtent(size), shown: this.#zFor(resolution) };
  }

  #visible(margin: number): TileNumber[] {
    const { extent, shown: z } = this.#onMap() ?? { shown: 0 };
    const range = extent && tileRange(this.#levels[z] as TileLevel, extent, margin);
    return range ? tilesIn(range).map((tile) => ({ z, ...tile })) : [];
  }

  /** After a frame: cancels tiles that left the view and prefetches those around it. */
  #look(): void {
    const { extent, shown } = this.#onMap() ?? { shown: 0 };
    if (!extent) return;
    this.#running.cancel(({ z, column, row }) => {
      const range = tileRange(this.#levels[z] as TileLevel, extent);
      const isIn = (index: number, [first, last]: [number, number]) => index >= first && index <= last;
      return z <= shown && range !== null && isIn(column, range.column) && isIn(row, range.row);
    });
    this.#report();
    this.#lookAhead();
  }

  /** Reads the tiles around the view if the view is complete. */
  #lookAhead(): void {
    const around = this.#margin > 0 && this.#running.size === 0 ? this.#visible(this.#margin) : [];
    const regions = new Map<string, TileRegion>();
    for (const tile of around) {
      const region = this.#regions.ofTile(tile);
      if (region) regions.set(`${this.getKey()}/${tile.z}/${tile.column}/${tile.row}`, region);
    }
    this.#ahead.want(regions, this.#channels);
  }

  /** Reports progress if it has changed. It is called at every frame. */
  #report(): void {
    const { wanted, done } = this.#running.progress;
    if (wanted !== this.#reported.wanted || done !== this.#reported.done) {
      this.#reported = { wanted, done };
      this.onProgress(this.#reported);
    }
    if (this.#running.size === 0 && this.#isMixLate) this.#remix();
  }
}
worksBehindProxies(PyramidSource);
