/**
 * An OpenLayers source of a pyramid's levels as tiles. It reads the tiles in view, nearest first,
 * and cancels the reads of tiles that left the view. It caches elements, so changes of colours,
 * repeated steps and values under the pointer need no request.
 *
 * Styles define the colours (`style.ts`). OpenLayers uploads at most four bands without rearranging
 * them on the page. If there are more, the source makes pictures.
 */
import type DataTile from "ol/DataTile.js";
import type OpenLayersMap from "ol/Map.js";
import DataTileSource from "ol/source/DataTile.js";
import type { PyramidLevel } from "../../convention/pyramid_level.ts";
import type { Pyramid } from "../../convention/pyramid_model.ts";
import { elementAtPlace } from "../../convention/warp.ts";
import { pauseIfDue } from "../../elements/pause.ts";
import { ZarrError } from "../../model/errors.ts";
import { arrayTiles, type TileAxes } from "./array_tiles.ts";
import { type BandLayout, bandsOf, type Packing, packTile, VALUE_SCALE } from "./bands.ts";
import { LevelGrid } from "./level_grid.ts";
import { type MixedChannel, mixTile } from "./mixing.ts";
import { channelAxisOf, gridOf, levelsOf } from "./placement.ts";
import { type RunningTile, RunningTiles } from "./running_tiles.ts";
import type { PyramidSourceOptions, TileAt, TileProgress, TileReading } from "./source_options.ts";
import { colorsOf, elementOf, type TileElements, valuesOf } from "./texels.ts";
import {
  elementAt,
  isShort,
  type MapExtent,
  type TileLevel,
  tileRange,
  tileSpans,
  tilesIn,
} from "./tile_levels.ts";
import { type TilePlace, TileReader } from "./tile_reader.ts";
import { meanElement, type WarpedMap, warpedLevels, warpedTiles } from "./warped_tiles.ts";

const MIB = 2 ** 20;
/** OpenLayers needs the tiles of two zoom levels for a view. */
const FEWEST_TEXTURES = 48;
const MOST_TEXTURES = 512;
const FEWEST_IN_VIEW = 16;
/** Priorities of reads. The coarsest level comes first, because finer tiles cover it later. */
const PRIORITY = { coarsest: 1000, view: 100, coarser: 1, ahead: -1 };

export class PyramidSource extends DataTileSource {
  readonly pyramid: Pyramid;
  /** The extent of the levels on the map. */
  readonly extent: MapExtent;
  onProgress: (progress: TileProgress) => void = () => {};
  onError: (error: unknown) => void = () => {};

  /** Coarsest first, as in OpenLayers. */
  readonly #levels: TileLevel[];
  readonly #axes: TileAxes;
  readonly #warped: WarpedMap | undefined;
  readonly #reader: TileReader;
  readonly #bands: BandLayout;
  readonly #packing: Packing;
  readonly #cacheBytes: number;
  readonly #margin: number;
  readonly #running = new RunningTiles();
  readonly #ahead = new Map<string, AbortController>();
  #at: TileAt;
  readonly #areLabels: boolean;
  readonly #decode: PyramidSourceOptions["decode"];
  #channels: readonly number[];
  #mix: readonly MixedChannel[] = [];
  #isMixLate = false;
  /** The number of mixes, and of steps with a failed tile. */
  #mixes = 0;
  #failures = 0;
  #hasFailed = false;
  #told: TileProgress = { wanted: 0, done: 0 };
  #map: OpenLayersMap | undefined;
  /** The tile whose loader runs. */
  #loading: DataTile | undefined;

  constructor(options: PyramidSourceOptions) {
    const { pyramid, plane = pyramid.plane, projection, channels = [0], areLabels = false } = options;
    const { warped, decode, range } = options;
    const levels = warped ? warpedLevels(pyramid.levels, plane, warped) : levelsOf(pyramid, plane, options);
    const finest = levels.at(-1) as TileLevel;
    const { channelAxis = channelAxisOf(pyramid, plane) } = options;
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
    this.setTileSizes(levels.map(({ tileWidth, tileHeight }) => [tileWidth, tileHeight]));
    this.pyramid = pyramid;
    this.extent = finest.extent;
    this.#channels = channels;
    this.#areLabels = areLabels;
    this.#bands = bands;
    this.#levels = levels;
    this.#axes = { ...plane, c: channelAxis ?? undefined };
    this.#warped = warped;
    this.#at = options.at ?? {};
    this.#cacheBytes = options.cacheBytes ?? 256 * MIB;
    this.#margin = options.margin ?? 1;
    const { isByte: asBytes, hasMask, origin, unit } = bands;
    this.#packing = { asBytes, hasMask, isLog: false, origin, unit };
    this.#decode = decode;
    const names = pyramid.axes.map(({ name }) => name);
    const fetch = warped
      ? warpedTiles(pyramid.levels, { names, c: this.#axes.c }, warped, decode)
      : arrayTiles(pyramid.levels, this.#axes, { decode, areLabels });
    this.#reader = new TileReader(fetch, this.#cacheBytes);
    this.setKey(this.#shownKey);
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
    return Math.min(Math.max(fitting, FEWEST_TEXTURES), MOST_TEXTURES);
  }

  /**
   * Returns the coarsest resolution at which a map of this size needs no more tiles than the cache
   * holds. An array without coarse levels may be too large to be shown completely.
   */
  widestResolution([width, height]: readonly [width: number, height: number]): number {
    const { tileWidth, tileHeight, stepX, stepY } = this.#levels[0] as TileLevel;
    const tiles = Math.max(Math.floor(this.#cacheBytes / this.#textureBytes), FEWEST_IN_VIEW);
    const area = tiles * tileWidth * tileHeight * stepX * stepY;
    return Math.sqrt(area / Math.max(width * height, 1));
  }

  /** Sets indices of axes. The old picture stays until the new tiles are loaded. */
  setAt(at: TileAt): void {
    this.#at = { ...this.#at, ...at };
    this.#renew();
  }

  get at(): TileAt {
    return this.#at;
  }

  /** The indices along the axis of channels that are read: one per band, or those of the mix. */
  get channels(): readonly number[] {
    return this.#channels;
  }

  /**
   * Sets the channels of pictures. Tiles are mixed again from cached elements. Only new channels
   * are requested.
   */
  setMix(mix: readonly MixedChannel[]): void {
    this.#mix = mix;
    if (!this.bands.isPicture || this.#areLabels) return;
    this.#channels = mix.map(({ channel }) => channel);
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

  /** Sets whether bands have decimal logarithms. */
  setLog(isLog: boolean): void {
    if (this.#packing.isLog === isLog) return;
    this.#packing.isLog = isLog;
    this.#renew();
  }

  /** Draws one level at every zoom. Null follows the zoom. */
  setLevel(level: number | null): void {
    const z = level === null ? -1 : this.#levels.findIndex((own) => own.level === level);
    (this.tileGrid as LevelGrid).forced = z < 0 ? null : z;
    this.changed();
  }

  /** Returns the pyramid's level for a resolution. */
  levelFor(resolution: number): number {
    return this.#levels[this.#zFor(resolution)]?.level ?? 0;
  }

  /** Map units per element of a level, across and down. For a warped map they are means. */
  elementSize(level: number): [number, number] {
    const array = this.pyramid.levels[level];
    if (this.#warped && array) return meanElement(array, this.#axes, this.#warped);
    const own = this.#levels.find((other) => other.level === level) ?? this.#levels.at(-1);
    return own ? [own.stepX, own.stepY] : [1, 1];
  }

  /**
   * Follows a map: after every frame it cancels reads of tiles that left the view, and prefetches
   * those around it if there are no other reads. Returns a function that stops it.
   */
  follow(map: OpenLayersMap): () => void {
    this.#map = map;
    const look = () => this.#look();
    map.on("postrender", look);
    return () => {
      map.un("postrender", look);
      this.#map = undefined;
      this.#running.cancel(() => false);
      for (const controller of this.#ahead.values()) controller.abort();
    };
  }

  /**
   * Returns the cached values at a point of the map, from the visible level. Null outside of the
   * array.
   */
  reading(x: number, y: number, resolution: number): TileReading | null {
    const z = this.#zFor(resolution);
    const level = this.#levels[z] as TileLevel;
    const element = elementAt(level, x, y);
    if (!element) return null;
    const index = this.#indices(level, this.#at);
    if (!this.#warped) [index[this.#axes.x], index[this.#axes.y]] = [element.column, element.row];
    const { tileWidth, tileHeight, width, roll } = level;
    const place = (element.column - roll + width) % width;
    const [column, row] = [Math.floor(place / tileWidth), Math.floor(element.row / tileHeight)];
    const tile = this.#placeOf(z, column, row, true);
    const values = this.#channels.map((channel) => {
      const found = tile && !this.#areLabels ? this.#reader.kept(tile, channel) : undefined;
      const value =
        tile && found ? elementOf(found, place - tile.x.start, element.row - tile.y.start) : undefined;
      return { channel, value };
    });
    return { level: level.level, index, values };
  }

  /**
   * Resolves to the values at a point of the map. Requests those that are not cached: labels,
   * evicted tiles, and the element of a warped map.
   */
  async read(x: number, y: number, resolution: number, signal?: AbortSignal): Promise<TileReading | null> {
    const reading = this.reading(x, y, resolution);
    if (!reading || !this.#warped) return reading && this.#readValues(reading, signal);
    const { array } = this.pyramid.levels[reading.level] as PyramidLevel;
    const element = await elementAtPlace(array, [x, y], { ...this.#warped, ...(signal ? { signal } : {}) });
    const isLinear = this.#warped.method === "linear";
    const values = reading.values.map(({ channel, value }) => ({
      channel,
      // Outside of the array.
      value: element ? (isLinear ? value : undefined) : Number.NaN,
    }));
    const index = [...reading.index];
    if (element) [index[this.#axes.x], index[this.#axes.y]] = [element.column, element.row];
    return this.#readValues({ ...reading, index, values }, signal);
  }

  async #readValues(reading: TileReading, signal: AbortSignal | undefined): Promise<TileReading> {
    const { array } = this.pyramid.levels[reading.level] as PyramidLevel;
    const values = await Promise.all(
      reading.values.map(async ({ channel, value }) => {
        if (value !== undefined) return { channel, value };
        const selection = reading.index.map((index, axis) => (axis === this.#axes.c ? channel : index));
        const options = signal ? { signal } : {};
        const { data } = this.#decode
          ? await array.get(selection, { ...options, decode: this.#decode })
          : await array.get(selection, options);
        return { channel, value: (data as ArrayLike<number | bigint | boolean>)[0] };
      }),
    );
    return { ...reading, values };
  }

  /** Reads the tiles of another step for the current view. */
  async preload(at: TileAt, options: { signal?: AbortSignal; priority?: number } = {}): Promise<void> {
    const signal = options.signal ?? new AbortController().signal;
    const priority = options.priority ?? PRIORITY.ahead;
    const places = this.#visible(0).map(({ z, column, row }) => this.#placeOf(z, column, row, false, at));
    await Promise.all(
      places.map((place) => place && this.#reader.read(place, this.#channels, { signal, priority })),
    );
  }

  /** The visible numbers of the cached tiles, as lists by channel. */
  *valuesInView(): Generator<{ channel: number; values: Float64Array }> {
    for (const { z, column, row } of this.#visible(0)) {
      const place = this.#placeOf(z, column, row, false);
      if (!place) continue;
      for (const channel of this.#channels) {
        const found = this.#reader.kept(place, channel);
        if (found) yield { channel, values: valuesOf(found, place) };
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
    return JSON.stringify([this.#at, this.#packing.isLog, this.#mixes, this.#failures]);
  }

  /** Returns the indices in a level's array, which may be coarser along an axis. */
  #indices({ level }: TileLevel, at: TileAt): number[] {
    const { axes, levels } = this.pyramid;
    const [finest, own] = [levels[0], levels[level]];
    return axes.map(({ name, role }, axis) => {
      if (axis === this.#axes.x || axis === this.#axes.y || axis === this.#axes.c) return -1;
      const wanted = at[name] ?? at[role] ?? 0;
      const [all = 1, here = 1] = [finest?.shape[axis], own?.shape[axis]];
      return all === here ? wanted : Math.min(Math.floor(((wanted + 0.5) * here) / all), here - 1);
    });
  }

  #placeOf(z: number, column: number, row: number, byElement: boolean, at: TileAt = {}): TilePlace | null {
    const level = this.#levels[z];
    if (!level) return null;
    // In a flipped array, columns or rows run against those of the map.
    const mapColumn = byElement && level.flipX ? level.columns - 1 - column : column;
    const mapRow = byElement && level.flipY ? level.rows - 1 - row : row;
    const spans = tileSpans(level, mapColumn, mapRow);
    return (
      spans && {
        level,
        column: mapColumn,
        row: mapRow,
        ...spans,
        at: this.#indices(level, { ...this.#at, ...at }),
      }
    );
  }

  #load(z: number, column: number, row: number): Promise<Uint8Array | Float32Array> {
    const place = this.#placeOf(z, column, row, false);
    if (!place) throw new ZarrError("Argument", `there is no tile ${column}, ${row} of level ${z}`);
    const running: RunningTile = { z, column, row, controller: new AbortController(), tile: this.#loading };
    this.#running.add(running);
    this.#report();
    return new Promise((resolve, reject) => {
      this.#read(place, running).then(
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

  async #read(place: TilePlace, { z, controller: { signal } }: RunningTile) {
    const finest = this.#levels.length - 1;
    const wanted = this.#map?.getView().getResolution();
    const shown = wanted === undefined ? finest : this.#zFor(wanted);
    const priority = z === shown ? PRIORITY.view : z === 0 ? PRIORITY.coarsest : PRIORITY.coarser;
    const elements = await this.#reader.read(place, this.#channels, { signal, priority });
    // Otherwise all cached tiles would be packed and uploaded in one task.
    await pauseIfDue();
    signal.throwIfAborted();
    if (!this.bands.isPicture) return packTile(place.level, place, elements, this.#packing);
    if (this.#areLabels) return colorsOf(place.level, place, elements[0] as TileElements);
    const channels = elements.flatMap((own, at) => {
      const how = this.#mix[at];
      return how ? [{ ...own, ...how }] : [];
    });
    return mixTile(place.level, place, channels, signal);
  }

  /** The visible level and extent. Null while the map has no view. */
  #onMap(): { extent: number[]; shown: number } | null {
    const view = this.#map?.getView();
    const [size, resolution] = [this.#map?.getSize(), view?.getResolution()];
    if (!view?.isDef() || !size || resolution === undefined) return null;
    return { extent: view.calculateExtent(size), shown: this.#zFor(resolution) };
  }

  #visible(margin: number): { z: number; column: number; row: number }[] {
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
      const isIn = (place: number, [first, last]: [number, number]) => place >= first && place <= last;
      return z <= shown && range !== null && isIn(column, range.column) && isIn(row, range.row);
    });
    this.#report();
    this.#lookAhead();
  }

  /** Reads the tiles around the view if the view is complete. */
  #lookAhead(): void {
    const around = this.#margin > 0 && this.#running.size === 0 ? this.#visible(this.#margin) : [];
    const wanted = new Map(
      around.map((tile) => [`${this.getKey()}/${tile.z}/${tile.column}/${tile.row}`, tile]),
    );
    for (const [key, controller] of this.#ahead) {
      if (wanted.has(key)) continue;
      controller.abort();
      this.#ahead.delete(key);
    }
    for (const [key, { z, column, row }] of wanted) {
      const place = this.#placeOf(z, column, row, false);
      if (!place || this.#ahead.has(key) || this.#channels.every((own) => this.#reader.kept(place, own)))
        continue;
      const controller = new AbortController();
      this.#ahead.set(key, controller);
      const wish = { signal: controller.signal, priority: PRIORITY.ahead };
      // The error is reported when the tile is in view.
      this.#reader.read(place, this.#channels, wish).then(
        () => this.#ahead.delete(key),
        () => undefined,
      );
    }
  }

  /** Reports progress if it has changed. It is called at every frame. */
  #report(): void {
    const { wanted, done } = this.#running.progress;
    if (wanted !== this.#told.wanted || done !== this.#told.done) {
      this.#told = { wanted, done };
      this.onProgress(this.#told);
    }
    if (this.#running.size === 0 && this.#isMixLate) this.#remix();
  }
}
