/**
 * The picture drawn by OpenLayers on the GPU: tiles are float32 textures, contrast and colours are applied by the shader.
 *
 * The map has no geography: one unit is one element, x to the right, and y is minus the row because a map's y grows upwards.
 * OpenLayers aborts a tile only when its cache is full, never when it leaves the view: the tile source is told after every frame.
 */

import { defaults as defaultInteractions } from "ol/interaction/defaults.js";
import WebGLTileLayer, { type Style } from "ol/layer/WebGLTile.js";
import OpenLayersMap from "ol/Map.js";
import Projection from "ol/proj/Projection.js";
import DataTileSource from "ol/source/DataTile.js";
import TileGrid from "ol/tilegrid/TileGrid.js";
import View from "ol/View.js";
import type { Colour } from "./colour_map.js";
import type { Range } from "./contrast.js";
import { type Camera, fittingCamera, type Place, type PlaneView, smallestScale } from "./plane_view.js";
import { type Box, tilesIn } from "./tile_grid.js";
import type { TileSource } from "./tile_source.js";

/** Just above `NO_VALUE`, and written by OpenLayers with a dot, without which it would be no number in GLSL. */
const NO_VALUE_BELOW = -3.4e38;
/** A pixel of the screen shows no less than a hundredth of an element. */
const LARGEST_SCALE = 100;

/** The tiles of OpenLayers, with a key that can be changed: it stands for the plane. */
class PlaneTiles extends DataTileSource {
  turnTo(key: string): void {
    this.setKey(key);
  }
}

export class OpenLayersPlaneView implements PlaneView {
  onCamera: (camera: Camera) => void = () => {};
  onPointer: (place: Place | null) => void = () => {};
  readonly drawnBy = "WebGL, OpenLayers";

  readonly #target: HTMLElement;
  readonly #source: TileSource;
  readonly #map: OpenLayersMap;
  #layer: WebGLTileLayer | null = null;
  #tiles: PlaneTiles | null = null;
  #planeText = "";
  #planes = 0;
  #range: Range = { low: 0, high: 1 };
  #colours: readonly Colour[] = [];

  constructor(target: HTMLElement, source: TileSource) {
    this.#target = target;
    this.#source = source;
    this.#map = new OpenLayersMap({
      target,
      controls: [],
      interactions: defaultInteractions({ altShiftDragRotate: false, pinchRotate: false }),
      // A cancelled tile keeps its place in OpenLayers' count until it comes back into view: the package limits requests.
      maxTilesLoading: 4096,
    });
    this.#map.on("postrender", () => this.#source.setVisible(this.visibleTiles()));
    this.#map.on("moveend", () => this.onCamera(this.camera()));
    this.#map.on("pointermove", ({ coordinate, dragging }) => {
      if (!dragging) this.onPointer(this.#placeAt(coordinate));
    });
    target.addEventListener("pointerleave", () => this.onPointer(null));
  }

  showPlane(camera?: Camera): void {
    this.#planes += 1;
    const { plane, tile } = this.#source.grid ?? {
      plane: { width: 1, height: 1 },
      tile: { width: 1, height: 1 },
    };
    const text = [plane.width, plane.height, tile.width, tile.height].join(",");
    // While only indices change the source stays: OpenLayers then shows the old plane's tiles until the new ones are there.
    if (text === this.#planeText && this.#tiles) {
      this.#tiles.turnTo(String(this.#planes));
      if (camera) this.#setCamera(camera);
      return;
    }
    this.#planeText = text;
    this.#map.updateSize();
    this.#tiles = this.#newTiles();
    this.#newLayer();
    this.#map.setView(this.#newView(camera ?? fittingCamera(this.#source, ...this.#size())));
  }

  setContrast(range: Range): void {
    this.#range = range;
    this.#layer?.updateStyleVariables({ ...range });
  }

  setColours(colours: readonly Colour[]): void {
    this.#colours = colours;
    this.#layer?.setStyle(this.#style());
  }

  camera(): Camera {
    const view = this.#map.getView();
    const [x = 0, y = 0] = view.getCenter() ?? [];
    return { x, y: -y, scale: 1 / (view.getResolution() ?? 1) };
  }

  fit(): void {
    const { x, y, scale } = fittingCamera(this.#source, ...this.#size());
    this.#map.getView().animate({ center: [x, -y], resolution: 1 / scale, duration: 200 });
  }

  zoomBy(factor: number): void {
    const view = this.#map.getView();
    view.animate({ resolution: (view.getResolution() ?? 1) / factor, duration: 150 });
  }

  visibleTiles(): Box {
    const grid = this.#source.grid;
    const size = this.#map.getSize();
    if (!grid || !size || !this.#map.getView().isDef()) return { x0: 0, x1: 0, y0: 0, y1: 0 };
    const [left = 0, bottom = 0, right = 0, top = 0] = this.#map.getView().calculateExtent(size);
    return tilesIn(grid, { x0: left, x1: right, y0: -top, y1: -bottom });
  }

  #size(): [number, number] {
    return [this.#target.clientWidth, this.#target.clientHeight];
  }

  #setCamera({ x, y, scale }: Camera): void {
    const view = this.#map.getView();
    view.setCenter([x, -y]);
    view.setResolution(1 / scale);
  }

  #placeAt([x = 0, y = 0]: number[]): Place | null {
    const plane = this.#source.grid?.plane;
    const place = { x: Math.floor(x), y: Math.floor(-y) };
    const inside = plane && place.x >= 0 && place.y >= 0 && place.x < plane.width && place.y < plane.height;
    return inside ? place : null;
  }

  #extent(): [number, number, number, number] {
    const { width, height } = this.#source.grid?.plane ?? { width: 1, height: 1 };
    return [0, -height, width, 0];
  }

  #newTiles(): PlaneTiles {
    const { width, height } = this.#source.grid?.tile ?? { width: 1, height: 1 };
    const extent = this.#extent();
    return new PlaneTiles({
      loader: async (_z, column, row) => (await this.#source.read(column, row)).floats,
      tileGrid: new TileGrid({ extent, origin: [0, 0], resolutions: [1], tileSize: [width, height] }),
      projection: new Projection({ code: "plane", units: "pixels", extent }),
      key: String(this.#planes),
      bandCount: 1,
      interpolate: false,
      transition: 0,
      wrapX: false,
    });
  }

  #newLayer(): void {
    const old = this.#layer;
    this.#layer = new WebGLTileLayer({ source: this.#tiles ?? undefined, style: this.#style() });
    this.#map.setLayers([this.#layer]);
    old?.dispose();
  }

  #style(): Style {
    const share = ["/", ["-", ["band", 1], ["var", "low"]], ["-", ["var", "high"], ["var", "low"]]];
    const step = ["clamp", ["*", share, 255], 0, 255];
    const colour = [
      "palette",
      step,
      this.#colours.map(([red, green, blue]) => `rgb(${red},${green},${blue})`),
    ];
    return {
      variables: { ...this.#range },
      color: ["case", ["<=", ["band", 1], NO_VALUE_BELOW], ["color", 0, 0, 0, 0], colour],
    };
  }

  #newView({ x, y, scale }: Camera): View {
    const extent = this.#extent();
    return new View({
      projection: this.#tiles?.getProjection() ?? undefined,
      center: [x, -y],
      resolution: 1 / scale,
      minResolution: 1 / LARGEST_SCALE,
      maxResolution: 1 / Math.min(scale, smallestScale(this.#source, ...this.#size())),
      extent,
      constrainOnlyCenter: true,
      smoothExtentConstraint: false,
    });
  }
}
