/**
 * The panel of an image's channels: their visibility, colours and limits. The details of a channel
 * are made when it is unfolded, because there may be many channels.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import type { Histogram } from "zarr-wasm";
import { limitsOf, rangeOf } from "../../model/scene/limits.js";
import { MAX_MIXED, type SceneChannel } from "../../model/scene/scene.js";
import { plainNumber } from "../../model/text/numbers.js";
import { button, icon, tickBox, withValue } from "../page/element.js";
import { cutNote, inParts, mostNote } from "../page/long_list.js";
import { windowControl } from "./window_control.js";

export interface ChannelSource {
  channels: readonly SceneChannel[];
  /** The number of channels of the array. The scene may have fewer. */
  count: number;
  integer: boolean;
  histogram(channel: SceneChannel): Promise<Histogram>;
}

/** Up to this number of channels, all limits are unfolded. */
const UNFOLDED = 4;
/** Shares of the values that "Auto" omits at each end. */
const LEFT_OUT = 0.005;

/** A channel in the list. */
interface Row {
  channel: SceneChannel;
  isUnfolded: boolean;
  counts: Histogram | null;
  counting: Promise<Histogram | null> | null;
}

export class Channels {
  #source: ChannelSource | null = null;
  #rows: Row[] = [];

  constructor(
    readonly element: HTMLElement,
    readonly change: (channels: SceneChannel[]) => void,
  ) {}

  show(source: ChannelSource): void {
    this.#source = source;
    this.#rows = source.channels.map((channel, at) => {
      const isUnfolded = at < UNFOLDED && channel.visible;
      return { channel: { ...channel }, isUnfolded, counts: null, counting: null };
    });
    this.#render();
    for (const row of this.#rows) if (row.isUnfolded) void this.#histogram(row);
  }

  #render(): void {
    const rows = this.#rows;
    const panel = html`${cutNote(this.#source?.count ?? 0, rows.length, "channels")}
      ${mostNote(rows.length, MAX_MIXED, "channels")}
      <div class="channel-list">${inParts(rows, (row) => this.#row(row))}</div>
      ${rows.length > 1 ? this.#actions() : nothing}`;
    render(keyed(rows, panel), this.element);
  }

  #actions(): TemplateResult {
    const setAll = (visible: boolean) => {
      for (const { channel } of this.#rows) channel.visible = visible;
      this.#change();
    };
    return html`<div class="actions">
      ${button("Auto contrast", () => this.#rows.forEach((row) => void this.#auto(row)))}
      ${button("Show all", () => setAll(true))} ${button("Hide all", () => setAll(false))}
    </div>`;
  }

  #row(row: Row): TemplateResult {
    const { channel, isUnfolded } = row;
    const { name, visible, color, index } = channel;
    const fold = () => {
      row.isUnfolded = !isUnfolded;
      this.#render();
      if (row.isUnfolded) void this.#histogram(row);
    };
    return html`<div class="channel ${visible ? "" : "off"}">
      <div class="channel-head">
        <input
          type="color"
          aria-label="Colour of ${name}"
          title="Colour of ${name}"
          .value=${color}
          @input=${withValue((color) => this.#set(row, { color }))}
        />
        ${tickBox(name, visible, (visible) => this.#set(row, { visible }))}
        <button
          type="button"
          class="icon-button unfold"
          aria-expanded=${isUnfolded}
          aria-controls="channel-${index}"
          aria-label="Contrast of ${name}"
          title="Contrast of ${name}"
          @click=${fold}
        >${icon("down")}</button>
      </div>
      <div class="channel-details" id="channel-${index}" ?hidden=${!isUnfolded}>
        ${isUnfolded ? this.#details(row) : nothing}
      </div>
    </div>`;
  }

  #details(row: Row): TemplateResult {
    const { name: label, window, limits, color, gamma } = row.channel;
    const integer = this.#source?.integer ?? false;
    const change = (window: [number, number]) => this.#set(row, { window });
    const setGamma = (power: string) =>
      this.#set(row, { gamma: Number((10 ** Number(power)).toPrecision(2)) });
    const auto = () => void this.#auto(row);
    return html`${windowControl({ label, limits, window, integer, counts: row.counts, color, change })}
      <div class="gamma">
        <span>Gamma</span>
        <input
          type="range"
          min="-1"
          max="1"
          step="0.05"
          aria-label="Gamma of ${label}"
          aria-valuetext=${plainNumber(gamma)}
          .value=${String(Math.log10(gamma))}
          @input=${withValue(setGamma)}
        />
        <output>${plainNumber(gamma)}</output>
        <button type="button" aria-label="Auto contrast of ${label}" @click=${auto}>Auto</button>
      </div>`;
  }

  #set(row: Row, change: Partial<SceneChannel>): void {
    Object.assign(row.channel, change);
    this.#change();
  }

  #change(): void {
    const visible = this.#rows.filter(({ channel }) => channel.visible);
    for (const { channel } of visible.slice(MAX_MIXED)) channel.visible = false;
    this.#render();
    this.change(this.#rows.map(({ channel }) => ({ ...channel })));
  }

  /** Sets the window so that it omits half a per cent of the values at each end. */
  async #auto(row: Row): Promise<void> {
    const found = await this.#histogram(row);
    const limits = found && limitsOf(found, LEFT_OUT);
    if (limits) this.#set(row, { window: rangeOf(limits, this.#source?.integer ?? false) });
  }

  /** Reads the histogram once. Without one the sliders still work. */
  #histogram(row: Row): Promise<Histogram | null> {
    row.counting ??= this.#counted(row);
    return row.counting;
  }

  async #counted(row: Row): Promise<Histogram | null> {
    try {
      const found = (await this.#source?.histogram(row.channel)) ?? null;
      row.counts = found;
      this.#render();
      return found;
    } catch {
      row.counting = null;
      return null;
    }
  }
}
