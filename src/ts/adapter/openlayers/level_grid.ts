/** An OpenLayers tile grid over the levels of a pyramid. It picks the level for a zoom. */
import TileGrid from "ol/tilegrid/TileGrid.js";

/**
 * Picks the coarsest level with elements no larger than a device pixel, or always the forced level.
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
