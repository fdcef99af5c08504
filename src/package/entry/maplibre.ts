/** `zarr-wasm/maplibre`: pyramids as raster sources of MapLibre. */
export { PyramidProtocol, type RasterSource } from "../adapter/maplibre.ts";
export type { MapPictureOptions, PictureChannel, PictureOptions } from "../adapter/pictures.ts";
