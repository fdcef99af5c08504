/**
 * The panel of an image's channels: their visibility, colours and limits. The details of a channel
 * are made when it is unfolded, because there may be many channels.
 */

import { element, tickBox } from "../page/element.js";
import { icon } from "../page/icons.js";
import { cutNote, fillInParts, mostNote } from "../page/long_list.js";
import type { SceneChannel } from "../scene/scene.js";
import { MOST_MIXED } from "../scene/visible.js";
import { plainNumber } from "../text/numbers.js";
import { type Counts, WindowControl } from "./window_control.js";

/** A histogram with quantiles. */
export interface ChannelHistogram extends Counts {
  readonly min: number;
  readonly max: number;
  quantile(share: number): number;
}

export interface ChannelSource {
  channels: readonly SceneChannel[];
  /** The number of channels of the array. The scene may have fewer. */
  count: number;
  integer: boolean;
  histogram(channel: SceneChannel): Promise<ChannelHistogram>;
}

/** Up to this number of channels, all limits are unfolded. */
const UNFOLDED = 4;
/** Shares of the values that "Auto" omits at each end. */
const LEFT_OUT = 0.005;

export class Channels {
  onChange: (channels: SceneChannel[]) => void = () => {};

  readonly #place: HTMLElement;
  #channels: SceneChannel[] = [];

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  show({ channels, count, integer, histogram }: ChannelSource): void {
    this.#channels = channels.map((channel) => ({ ...channel }));
    const change = () => {
      for (const row of rows.filter((row) => row.isVisible).slice(MOST_MIXED)) row.setVisible(false);
      this.onChange(this.#channels.map((channel) => ({ ...channel })));
    };
    const rows: ChannelRow[] = this.#channels.map(
      (channel) => new ChannelRow(channel, { integer, histogram, change }),
    );
    for (const row of rows.slice(0, UNFOLDED)) if (row.isVisible) row.unfold();
    const all = element("div", { class: "actions" });
    const setAll = (visible: boolean) => {
      for (const row of rows) row.setVisible(visible);
      change();
    };
    if (rows.length > 1) {
      all.append(
        button("Auto contrast", () => rows.forEach((row) => void row.auto())),
        button("Show all", () => setAll(true)),
        button("Hide all", () => setAll(false)),
      );
    }
    const list = element("div", { class: "channel-list" });
    fillInParts(list, rows, (row) => row.element);
    const note = cutNote(count, rows.length, "channels");
    const notes = [...(note ? [note] : []), ...mostNote(rows.length, MOST_MIXED, "channels")];
    this.#place.replaceChildren(...notes, list, all);
  }
}

const button = (text: string, press: () => void) =>
  element("button", { type: "button", onclick: press }, text);

interface RowOptions {
  integer: boolean;
  histogram(channel: SceneChannel): Promise<ChannelHistogram>;
  change(): void;
}

class ChannelRow {
  readonly element: HTMLElement;
  readonly #channel: SceneChannel;
  readonly #options: RowOptions;
  readonly #details: HTMLElement;
  readonly #unfold: HTMLButtonElement;
  readonly #visible: HTMLLabelElement;
  #window: WindowControl | null = null;
  #counted: Promise<ChannelHistogram> | null = null;

  constructor(channel: SceneChannel, options: RowOptions) {
    this.#channel = channel;
    this.#options = options;
    const { name, visible, color, index } = channel;
    this.#visible = tickBox(name, visible, (checked) => {
      this.setVisible(checked);
      options.change();
    });
    const id = `channel-${index}`;
    this.#details = element("div", { class: "channel-details", id, hidden: true });
    this.#unfold = element(
      "button",
      { type: "button", class: "icon-button unfold", "aria-expanded": "false", "aria-controls": id },
      icon("down"),
    );
    this.#unfold.setAttribute("aria-label", `Contrast of ${name}`);
    this.#unfold.title = `Contrast of ${name}`;
    this.#unfold.addEventListener("click", () => this.#fold(this.#details.hidden !== false));
    const picker = element("input", { type: "color", value: color, "aria-label": `Colour of ${name}` });
    picker.title = `Colour of ${name}`;
    picker.addEventListener("input", () => this.#setColor(picker.value));
    const head = element("div", { class: "channel-head" }, picker, this.#visible, this.#unfold);
    this.element = element("div", { class: "channel" }, head, this.#details);
    this.element.classList.toggle("off", !visible);
  }

  unfold(): void {
    this.#fold(true);
  }

  get isVisible(): boolean {
    return this.#channel.visible;
  }

  setVisible(visible: boolean): void {
    const box = this.#visible.querySelector("input");
    if (box) box.checked = visible;
    this.#channel.visible = visible;
    this.element.classList.toggle("off", !visible);
  }

  /** Sets the window so that it omits half a per cent of the values at each end. */
  async auto(): Promise<void> {
    const found = await this.#histogram();
    if (!found || !Number.isFinite(found.min)) return;
    let [low, high] = [found.quantile(LEFT_OUT), found.quantile(1 - LEFT_OUT)];
    // A mask or a sparse label image has nearly only one value. The omitted values are all that
    // there is to see.
    if (!(high > low)) [low, high] = [found.min, found.max > found.min ? found.max : found.min + 1];
    if (this.#options.integer)
      [low, high] = [Math.floor(low), Math.max(Math.ceil(high), Math.floor(low) + 1)];
    this.#window?.setWindow([low, high]);
    this.#setWindow([low, high]);
  }

  #fold(open: boolean): void {
    this.#details.hidden = !open;
    this.#unfold.setAttribute("aria-expanded", String(open));
    if (open && !this.#window) this.#makeDetails();
  }

  #makeDetails(): void {
    const { name, window, limits, color, gamma } = this.#channel;
    const control = new WindowControl({ label: name, limits, window, integer: this.#options.integer, color });
    control.onChange = (chosen) => this.#setWindow(chosen);
    this.#window = control;
    const slider = element("input", { type: "range", min: -1, max: 1, step: 0.05, value: Math.log10(gamma) });
    slider.setAttribute("aria-label", `Gamma of ${name}`);
    const told = element("output", {}, plainNumber(gamma));
    slider.addEventListener("input", () => {
      this.#channel.gamma = Number((10 ** Number(slider.value)).toPrecision(2));
      told.textContent = plainNumber(this.#channel.gamma);
      slider.setAttribute("aria-valuetext", told.textContent);
      this.#options.change();
    });
    const auto = element("button", { type: "button", onclick: () => void this.auto() }, "Auto");
    auto.setAttribute("aria-label", `Auto contrast of ${name}`);
    const gammaRow = element("div", { class: "gamma" }, element("span", {}, "Gamma"), slider, told, auto);
    this.#details.append(control.element, gammaRow);
    void this.#histogram();
  }

  /** Reads the histogram once. Without one the sliders still work. */
  #histogram(): Promise<ChannelHistogram | null> {
    this.#counted ??= this.#options.histogram(this.#channel);
    return this.#counted.then(
      (found) => {
        this.#window?.setHistogram(found);
        return found;
      },
      () => {
        this.#counted = null;
        return null;
      },
    );
  }

  #setWindow(window: [number, number]): void {
    this.#channel.window = window;
    this.#options.change();
  }

  #setColor(color: string): void {
    this.#channel.color = color;
    this.#window?.setColor(color);
    this.#options.change();
  }
}
