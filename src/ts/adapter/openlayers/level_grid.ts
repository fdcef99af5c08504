/** A tile grid of OpenLayers over the levels of a pyramid, which picks the level for a zoom. */
import TileGrid from "ol/tilegrid/TileGrid.js";

/**
 * The level that fits a resolution: the coarsest whose elements are no larger than device pixels.
 * One level alone, where it is forced.
 */
export class LevelGrid extends TileGrid {
  forced: number | null = null;

  override getZForResolution(resolution: number): number {
    if (this.forced !== null) return this.forced;
    const device = resolution / (globalThis.devicePixelRatio || 1);
    const all = this.getResolutions();
    const fitting = all.findIndex((own) => own <= device * 1.05);
    return fitting < 0 ? all.length - 1 : fitting;
  }
}
