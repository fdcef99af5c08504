/** `zarr-wasm/viv`: pyramids as the pixel sources of Viv's layers. */
export {
  pixelSources,
  type VivOptions,
  type VivPixels,
  type VivSelection,
  VivSource,
} from "../adapter/viv.ts";
