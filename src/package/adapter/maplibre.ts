/**
 * A pyramid as a raster source of MapLibre: a handler for `addProtocol` that makes the pictures of
 * tiles, and the source that asks for them. It needs no code of MapLibre.
 */
import { type At, atWith } from "../../conventions/ts/axis_indices.ts";
import type { Pyramid } from "../../conventions/ts/pyramid_model.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import { findable, worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import { checkPictures, MAP_PICTURE_RULES, type MapPictureOptions, mapTile, webMapBox } from "./pictures.ts";

/** A source of a MapLibre style. */
export interface RasterSource {
  /** Always `"raster"`. */
  type: "raster";
  /** The address of tiles, with their indices in braces. */
  tiles: string[];
  /**
   * The side of a tile.
   *
   * @unit pixels
   */
  tileSize: number;
}

const SIDE = 256;

/** `{z}/{x}/{y}`, with indices of axes as the query. */
const TILE = /^[^:]+:\/\/(\d+)\/(\d+)\/(\d+)(?:\?(.*))?$/;

function tileOf(url: string): { index: { x: number; y: number; z: number }; at: At } {
  const [, z, x, y, query = ""] = TILE.exec(url) ?? [];
  if (z === undefined)
    throw new ZarrError("Argument", `${url} is not a tile`, {
      expected: "scheme://z/x/y, and indices of axes as a query",
    });
  const at = Object.fromEntries(
    [...new URLSearchParams(query)].map(([name, index]) => [name, Number(index)]),
  );
  return { index: { z: Number(z), x: Number(x), y: Number(y) }, at };
}

/**
 * The tiles of a pyramid for a protocol of MapLibre. Elements are drawn as by `warp`, on the web's
 * Mercator map. Where the array has no element, tiles are transparent.
 *
 *     const air = new PyramidProtocol("air", image, { window: [220, 310], proj4 });
 *     addProtocol(air.scheme, air.load);
 *     map.addSource("air", air.source({ time: 3 }));
 */
export class PyramidProtocol {
  /** The scheme of the addresses of tiles, without `://`. */
  readonly scheme: string;
  readonly #pyramid: Pyramid;
  readonly #options: MapPictureOptions;

  /**
   * @param scheme The scheme of the addresses of tiles, without `://`.
   * @param pyramid The pyramid, which a reference system places on the map.
   * @throws an `Argument` error for wrong options.
   */
  constructor(scheme: string, pyramid: Pyramid, options: MapPictureOptions = {}) {
    findable(this);
    [this.scheme, this.#pyramid, this.#options] = [scheme, pyramid, options];
    checkPictures(pyramid, options, MAP_PICTURE_RULES);
  }

  /**
   * Makes the source. `getSource(id).setTiles(source(at).tiles)` shows other indices later.
   *
   * @param at The indices of further dimensions. Default: those of the options.
   * @throws an `InvalidSelectionError` for a name or an index that is not there.
   */
  source(at: At = {}): RasterSource {
    checkPictures(this.#pyramid, this.#with(at), MAP_PICTURE_RULES);
    const known = Object.entries(at).map(([name, index]): [string, string] => [name, String(index)]);
    const query = known.length > 0 ? `?${new URLSearchParams(known)}` : "";
    return { type: "raster", tiles: [`${this.scheme}://{z}/{x}/{y}${query}`], tileSize: SIDE };
  }

  /** The options of the tiles of a source. Its indices take precedence. */
  #with(at: At): MapPictureOptions {
    const { at: own = {} } = this.#options;
    return { ...this.#options, at: atWith(this.#pyramid.axes, own, at) };
  }

  /**
   * The handler for `addProtocol`: it makes the picture of a tile. It rejects with the error of the
   * read, which MapLibre reports by its event `error`, and with the signal's reason after an abort.
   */
  readonly load = async (
    {
      url,
    }: {
      /** The address of the tile. */
      url: string;
    },
    {
      signal,
    }: {
      /** Aborts the read. */
      signal: AbortSignal;
    },
  ): Promise<{ data: ImageBitmap }> => {
    const { index, at } = tileOf(url);
    const picture = await mapTile(this.#pyramid, webMapBox(index, SIDE), this.#with(at), signal);
    return { data: await createImageBitmap(picture) };
  };
}
worksBehindProxies(PyramidProtocol);
