/** `zarr-wasm/leaflet`: pyramids as grid layers of Leaflet. */
export { type LeafletLike, type LeafletOptions, pyramidLayer } from "../adapter/leaflet.ts";
export type { MapPictureOptions, PictureChannel, PictureOptions } from "../adapter/pictures.ts";
