/** The panel of a field: colormap, limits, logarithmic scale, and how values are read. */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import type { Histogram } from "zarr-wasm";
import { COLORMAPS, gradient } from "../../model/scene/colormaps.js";
import { type Limits, rangeOf } from "../../model/scene/limits.js";
import type { FieldStyle } from "../../model/scene/scene.js";
import { button, tickBox } from "../page/element.js";
import { windowControl } from "./window_control.js";

export interface FieldSource {
  title: string;
  style: FieldStyle;
  integer: boolean;
  /** Whether values are shown as they are stored. Undefined if they are not packed. */
  isStored?: boolean;
  histogram(): Promise<Histogram>;
  /** The limits of the values in view. */
  limitsInView(): Promise<Limits | null>;
}

/** A lower limit without a logarithm becomes the upper one, divided by the root of this. */
const MAX_RATIO = 1e6;

export class Field {
  #source: FieldSource | null = null;
  #style: FieldStyle = { colormap: "viridis", range: [0, 1], log: false, reversed: false };
  #counts: Histogram | null = null;

  constructor(
    readonly element: HTMLElement,
    readonly change: (style: FieldStyle) => void,
    /** Shows the values as they are stored, or unpacked. */
    readonly setStored: (isStored: boolean) => void,
  ) {}

  show(source: FieldSource): void {
    this.#source = source;
    this.#style = { ...source.style };
    this.#counts = null;
    this.#render(source);
    source.histogram().then(
      (counts) => {
        if (source !== this.#source) return;
        this.#counts = counts;
        this.#render(source);
      },
      // Without a histogram the sliders still work.
      () => {},
    );
  }

  #render(source: FieldSource): void {
    const { title, integer, style, isStored } = source;
    const { range, log, reversed } = this.#style;
    const limits = { label: title, limits: style.range, window: range, integer, counts: this.#counts };
    const change = (changed: Partial<FieldStyle>) => this.#change(source, changed);
    const panel = html`${mapsOf(this.#style, `${this.element.id}-colormap`, (colormap) => change({ colormap }))}
      ${windowControl({ ...limits, change: (range) => change({ range }) })}
      <div class="actions">
        ${button("Rescale to view", () => void this.#rescale(source))}
        ${button("Reset", () => change({ range: style.range }))}
      </div>
      <div class="ticks">
        ${tickBox("Logarithmic", log, (log) => change({ log, range: rangeFor(log, range) }))}
        ${tickBox("Reversed", reversed, (reversed) => change({ reversed }))}
        ${isStored === undefined ? nothing : tickBox("As stored", isStored, this.setStored)}
      </div>`;
    render(keyed(source, panel), this.element);
  }

  #change(source: FieldSource, changed: Partial<FieldStyle>): void {
    if (source !== this.#source) return;
    this.#style = { ...this.#style, ...changed };
    this.#render(source);
    this.change({ ...this.#style });
  }

  async #rescale(source: FieldSource): Promise<void> {
    const found = await source.limitsInView();
    if (found) this.#change(source, { range: rangeOf(found, source.integer) });
  }
}

/** A logarithmic scale needs limits above zero. */
function rangeFor(log: boolean, [low, high]: [number, number]): [number, number] {
  const top = high > 0 ? high : 1;
  return log && low <= 0 ? [top / MAX_RATIO ** 0.5, top] : [low, high];
}

const swatch = (colormap: string, reversed = false) =>
  html`<span class="swatch" .style=${`background: ${gradient(colormap, reversed)}`}></span>`;

/** `group` tells the choices of one panel from those of another. */
function mapsOf(
  { colormap, reversed }: FieldStyle,
  group: string,
  choose: (colormap: string) => void,
): TemplateResult {
  const choice = ({ name }: { name: string }) => html`<label>
    <input
      type="radio"
      name=${group}
      value=${name}
      ?checked=${name === colormap}
      @change=${() => choose(name)}
    />
    ${swatch(name)}<span>${name}</span>
  </label>`;
  return html`<details class="colormaps">
    <summary>
      <span class="hidden">Colormap: </span>${swatch(colormap, reversed)}<span>${colormap}</span>
    </summary>
    <fieldset><legend class="hidden">Colormap</legend>${COLORMAPS.map(choice)}</fieldset>
  </details>`;
}
