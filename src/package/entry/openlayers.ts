/** `zarr-wasm/openlayers`: pyramids as tiles of an OpenLayers map. `ol` is the user's own. */

export type { LevelPlace, LevelPlaces, WarpedMap } from "../adapter/openlayers/placement.ts";
export { PyramidSource } from "../adapter/openlayers/pyramid_source.ts";
export type {
  PyramidSourceOptions,
  TileAt,
  TileProgress,
  TileReading,
  TileValue,
} from "../adapter/openlayers/source_options.ts";
export type { BandLayout, MixedChannel } from "../adapter/openlayers/textures.ts";
export {
  channelStyle,
  channelVariables,
  type Palette,
  paletteStyle,
  paletteVariables,
} from "../adapter/openlayers/textures.ts";
export { type AxisPlace, type MapExtent, rolled } from "../adapter/openlayers/tile_levels.ts";
