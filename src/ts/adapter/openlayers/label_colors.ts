/** Ids as colours: each id has one of its own, the same wherever and whenever it is drawn. */
import { type Spans, type TileElements, texels } from "./texels.ts";
import type { TileLevel } from "./tile_levels.ts";

/** Golden angle, in turns: neighbours in a row of ids are far apart in hue. */
const TURN = 0.618033988749895;

/** The colour of an id, the same wherever and whenever it is drawn; 0 is no label. */
export function labelColor(id: number | bigint): [red: number, green: number, blue: number] {
  const low = Number(BigInt.asUintN(32, BigInt(id))) >>> 0;
  const mixed = Math.imul(low ^ (low >>> 16) ^ Number((BigInt(id) >> 32n) & 0xffffffffn), 0x9e3779b1) >>> 0;
  const [hue, lightness] = [(low * TURN) % 1, 0.5 + ((mixed >>> 8) % 3) * 0.09];
  const part = (shift: number) => {
    const place = (shift + hue * 12) % 12;
    const spread = 0.85 * Math.min(lightness, 1 - lightness);
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(place - 3, 9 - place, 1))));
  };
  return [part(0), part(8), part(4)];
}

/** A tile of ids as red, green, blue and alpha. */
export function paintLabels(level: TileLevel, spans: Spans, elements: TileElements, out: Uint8Array): void {
  const { data, offset, strideX, strideY } = elements;
  const across = texels(spans.x, level.tileWidth, level.flipX, strideX);
  const down = texels(spans.y, level.tileHeight, level.flipY, strideY);
  const colors = new Map<number | bigint, [number, number, number]>();
  for (let v = down.from; v < down.to; v += 1) {
    const row = offset + (down.places[v] as number);
    for (let u = across.from; u < across.to; u += 1) {
      const id = data[row + (across.places[u] as number)] as number | bigint;
      if (!id) continue;
      const color = colors.get(id) ?? labelColor(id);
      colors.set(id, color);
      out.set(color, (v * level.tileWidth + u) * 4);
      out[(v * level.tileWidth + u) * 4 + 3] = 255;
    }
  }
}
