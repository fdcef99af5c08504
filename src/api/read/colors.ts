/**
 * The colours of `as: "rgba"`, in the form that the decode workers read: tables for numbers, and
 * colours of labels (`label_colors.ts`). A table has 256 colours of four bytes (red, green, blue,
 * alpha), then the
 * transparent colour of missing values. viridis, magma, inferno and plasma are matplotlib's (CC0).
 * Every fifth of their 256 colours is stored. Interpolation between them differs by at most 2 of
 * 255. Labels are integers that identify objects, such as the cells of an image. The workers choose
 * the colours of labels that have none (`src/kernel/convert/labels.rs`).
 */

import { need, needList, refuse, refuseField } from "../../engine/ts/model/argument.ts";
import { shown } from "../../engine/ts/model/errors.ts";
import type { OwnColors } from "../../engine/ts/model/own_memory.ts";

/**
 * The names of the colour tables: `"gray"` goes from black to white; `"viridis"`, `"magma"`,
 * `"inferno"` and `"plasma"` are matplotlib's.
 */
export type ColorName = "gray" | "viridis" | "magma" | "inferno" | "plasma";

/**
 * The colours of a window, from low to high. One of: a name; a list of `"#rrggbb"` in even steps,
 * with linear interpolation between them; bytes of red, green, blue and alpha, for 2 to 65 536
 * colours.
 */
export type Colors = ColorName | readonly string[] | Uint8Array | Uint8ClampedArray;

/** `"#rrggbb"`, `"#rrggbbaa"`, or red, green, blue and alpha from 0 to 255. Default alpha: 255. */
export type LabelColor = string | ArrayLike<number>;

/** An entry of the list `colors` of OME's `image-label`. */
export interface OmeLabelColor {
  /** The label. */
  "label-value": number | bigint;
  /** Red, green, blue and alpha from 0 to 255. Default: the colour that depends on the label. */
  rgba?: ArrayLike<number> | undefined;
}

/**
 * Colours of labels. `"labels"`: the colour depends only on the label, and 0 is transparent.
 * `{ labels }` gives colours for some labels.
 */
export type LabelColors =
  | "labels"
  | {
      /**
       * A `Map` from label to colour, or OME's list. Other labels have the colours of `"labels"`.
       */
      readonly labels: ReadonlyMap<number | bigint, LabelColor> | readonly OmeLabelColor[];
    };

/** Hexadecimal digits, six per colour. */
const STOPS: Record<ColorName, string> = {
  gray: "000000ffffff",
  viridis:
    "44015446085c471063481769481d6f482475472a7a46307e453781433d844142873f48893d4e8a3a538b38598c355e8d33638d31688e2e6d8e2c718e2a768e297b8e27808e25848e23898e218e8d20928c1f978b1e9c891fa18821a58524aa8328ae802eb37c35b7793dbc7446c06f50c46a5ac86465cb5e70cf577cd25089d54895d840a2da37b0dd2fbddf26cae11fd8e219e5e419f1e51dfde725",
  magma:
    "00000402020b0504160907200e0b2b140e361a104221114e29115a311165390f6e420f754a107952137c5a167e6219806a1c81721f81792282812581892881912b81992d80a1307eaa337db2357bba3878c23b75ca3e72d2426fd9466be04c67e75263ec5860f1605df4695cf7725cf97b5dfb8560fc8e64fd9869fea16efeaa74feb47bfebd82fec68afecf92fed89afde2a3fdebacfcf4b6fcfdbf",
  inferno:
    "00000402020c0504170a072210092d160b391e0c45260c512f0a5b380962400a67490b6a510e6c59106e61136e69166e71196e781c6d801f6c88226a902568982766a02a63a82e5fb0315bb73557bf3952c63d4dcc4248d34743d94d3ddf5337e45a31e9612bed6925f1711ff47918f78212f98b0bfa9407fb9d07fca60cfcb014fbba1ffac42af8cd37f6d746f4e156f2ea69f2f27df5f992fcffa4",
  plasma:
    "0d08871b068d2605912f059638049a41049d4903a05102a35901a56100a76900a87100a87801a88004a88707a68e0ca49511a19c179ea21d9aa82296ae2892b42e8dba3388bf3984c43e7fc9447acd4a76d24f71d6556dda5b69de6164e26660e66c5ce97257ed7953f07f4ff3854bf58c46f79342f99a3efba139fca835fdaf31feb72dfebe2afdc627fcce25fbd724f8df25f6e826f3f027f0f921",
};

const LENGTH = 256;

/** Long lists are cut in the error. */
export const shortly = (actual: unknown) => shown(actual).slice(0, 80);

const refuseColors = (actual: unknown): never =>
  refuseField(
    "colors",
    `${Object.keys(STOPS).join(", ")}, a list of "#rrggbb", or bytes of red, green, blue and alpha`,
    shortly(actual),
  );

/** The bytes that pairs of hexadecimal digits give. */
export const bytesIn = (digits: string): number[] =>
  (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));

function channelsOf(color: unknown): number[] {
  const digits = typeof color === "string" ? /^#?([0-9a-f]{6})$/i.exec(color)?.[1] : undefined;
  return digits === undefined ? refuseColors(color) : bytesIn(digits);
}

/** A table of 256 opaque colours that interpolates between stops in even steps. */
function mixed(stops: number[][]): Uint8Array {
  const table = new Uint8Array(4 * LENGTH);
  for (let at = 0; at < LENGTH; at += 1) {
    const position = (at / (LENGTH - 1)) * (stops.length - 1);
    const before = Math.min(Math.floor(position), Math.max(stops.length - 2, 0));
    const [low = [], high = low] = [stops[before], stops[before + 1]];
    for (let channel = 0; channel < 3; channel += 1) {
      const [from = 0, to = 0] = [low[channel], high[channel]];
      table[4 * at + channel] = Math.round(from + (to - from) * (position - before));
    }
    table[4 * at + 3] = 255;
  }
  return table;
}

function colorsIn(colors: Colors): Uint8Array {
  if (colors instanceof Uint8Array || colors instanceof Uint8ClampedArray) {
    if (colors.length < 8 || colors.length % 4 !== 0 || colors.length > 4 << 16)
      refuseColors(`${colors.length} bytes`);
    return Uint8Array.from(colors);
  }
  if (globalThis.Array.isArray(colors))
    return mixed(colors.length === 0 ? refuseColors("none") : colors.map(channelsOf));
  const stops =
    typeof colors === "string" && Object.hasOwn(STOPS, colors)
      ? STOPS[colors as ColorName]
      : refuseColors(colors);
  return mixed((stops.match(/.{6}/g) ?? []).map(channelsOf));
}

/** The colour table, followed by the transparent colour of missing values. */
export function colorTable(colors: Colors): Uint8Array {
  const table = colorsIn(colors);
  const whole = new Uint8Array(table.length + 4);
  whole.set(table);
  return whole;
}

/** The table of shades from 0 to 255, followed by the shade 0 of missing values. */
export const shadeTable = (): Uint8Array =>
  Uint8Array.from({ length: LENGTH + 1 }, (_, at) => (at < LENGTH ? at : 0));

/**
 * Adds pictures of the same size pixel by pixel, for channels of a microscope with one colour each.
 * Colours are weighted by their alpha.
 *
 *     const picture = addLight([red.data, green.data]);
 *
 * @param pictures Bytes of red, green, blue and alpha, as `get` returns them with `as: "rgba"`.
 * @returns the bytes of the sum.
 * @throws an `Argument` error if the pictures have different sizes.
 */
export function addLight(pictures: readonly Uint8ClampedArray[]): OwnColors {
  needList(pictures, "pictures");
  for (const picture of pictures) need(ArrayBuffer.isView(picture), "pictures", "a list of bytes");
  const length = pictures[0]?.length ?? 0;
  const sum = new Uint8ClampedArray(length);
  for (const picture of pictures) {
    if (picture.length !== length || length % 4 !== 0) {
      refuse(
        "addLight requires pictures of equal size with four bytes per pixel",
        `${length} bytes`,
        `${picture.length} bytes`,
      );
    }
    for (let at = 0; at < length; at += 4) {
      const alpha = picture[at + 3] as number;
      if (alpha === 0) continue;
      for (let channel = at; channel < at + 3; channel += 1)
        sum[channel] = (sum[channel] as number) + ((picture[channel] as number) * alpha) / 255;
      sum[at + 3] = Math.max(sum[at + 3] as number, alpha);
    }
  }
  return sum;
}
