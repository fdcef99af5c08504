/** The names of gifenc that the viewer uses. The package has no declarations. */
declare module "gifenc" {
  type Palette = [red: number, green: number, blue: number][];
  interface Encoder {
    /** `delay` is in milliseconds. */
    writeFrame(
      index: Uint8Array,
      width: number,
      height: number,
      options: { palette: Palette; delay: number },
    ): void;
    finish(): void;
    bytes(): Uint8Array<ArrayBuffer>;
  }
  export function GIFEncoder(): Encoder;
  /** `rgba` has four bytes per pixel. */
  export function quantize(rgba: Uint8ClampedArray, mostColors: number): Palette;
  export function applyPalette(rgba: Uint8ClampedArray, palette: Palette): Uint8Array;
}
