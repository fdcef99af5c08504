/** `zarr-wasm/deckgl`: pyramids as the tiles of deck.gl's `TileLayer`. */
export {
  type DeckPicture,
  type DeckTile,
  type DeckTileProps,
  imageTiles,
  mapTiles,
} from "../adapter/deckgl.ts";
export type { MapPictureOptions, PictureChannel, PictureOptions } from "../adapter/pictures.ts";
