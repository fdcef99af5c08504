/** The part "Why is it slow?" of the panel: the likely cause in a sentence, and the plots. */

import { html, nothing, render, type TemplateResult } from "lit-html";
import * as zarr from "zarr-wasm";
import { bytesText, countText } from "../../model/text/numbers.js";
import { shortened } from "../../widgets/page/element.js";
import type { ViewSnapshot } from "../../widgets/views/view_snapshot.js";
import { type Cause, causesOf } from "./causes.js";
import { evidenceOf, hiddenHeadersOf } from "./evidence.js";
import { DrawnPlots, type Plot, plotsOf, plotText } from "./plots.js";
import type { Recorder, Second } from "./recorder.js";

/** What the panel looks at. */
export interface Watched {
  readonly recorder: Recorder;
  /** Null if there is no picture. */
  snapshot(): ViewSnapshot | null;
  warnings(): readonly string[];
}

export class Speed {
  readonly #element: HTMLElement;
  readonly #watched: Watched;
  /** The headers that each server hides. */
  readonly #hidden = new Map<string, Promise<string[]>>();
  readonly #plots = new DrawnPlots();
  #causes: readonly Cause[] | null = null;

  constructor(element: HTMLElement, watched: Watched) {
    this.#element = element;
    this.#watched = watched;
  }

  /** Looks again, and draws what it finds. */
  async update(): Promise<void> {
    this.#causes = await this.#find().catch(() => null);
    const { seconds } = this.#watched.recorder;
    const plots = plotsOf(seconds);
    render(html`${this.#sentence()}${plots.map((plot) => figure(plot, seconds))}${totals()}`, this.#element);
    const elements = this.#element.querySelectorAll<HTMLElement>(".speed-plot");
    for (const [at, plot] of plots.entries()) {
      const element = elements[at];
      if (element) this.#plots.draw(element, plot, seconds);
    }
  }

  async #find(): Promise<Cause[] | null> {
    const snapshot = this.#watched.snapshot();
    if (!snapshot) return null;
    const { key } = snapshot.source;
    const hidden = this.#hidden.get(key) ?? hiddenHeadersOf(snapshot);
    this.#hidden.set(key, hidden);
    const { recorder } = this.#watched;
    const observed = {
      seconds: recorder.seconds,
      warnings: this.#watched.warnings(),
      hiddenHeaders: await hidden,
    };
    return causesOf(await evidenceOf(snapshot, observed));
  }

  #sentence(): TemplateResult {
    const [first, ...others] = this.#causes ?? [];
    if (!this.#causes) return html`<p class="note" role="status">There is no picture to look at.</p>`;
    if (!first)
      return html`<p class="note" role="status">Nothing stands out: this view reads little more than it shows.</p>`;
    return html`<div class="cause" role="status" data-cause=${first.id}>
        <p>${shortened(first.cause)}</p>
        <p class="cure">${first.cure}</p>
      </div>
      ${others.length > 0 ? html`<ul class="other-causes">${others.map(other)}</ul>` : nothing}`;
  }
}

const other = ({ id, cause, cure }: Cause) => html`<li data-cause=${id}>${shortened(cause)} ${cure}</li>`;

function figure(plot: Plot, seconds: readonly Second[]): TemplateResult {
  const text = plotText(plot, seconds);
  const key = plot.lines.map(({ name, color }) => html`<span style="--own: var(${color})">${name}</span>`);
  return html`<figure class="speed">
    <figcaption><b>${plot.title}</b> <span class="now">${text}</span></figcaption>
    <div class="speed-plot" aria-hidden="true"></div>
    ${plot.lines.length > 1 ? html`<p class="key" aria-hidden="true">${key}</p>` : nothing}
  </figure>`;
}

/** The counters since the page was opened. */
function totals(): TemplateResult {
  const { wire, workers, decodeMs, caches } = zarr.info();
  const rows: [string, string][] = [
    ["Requests", countText(wire.requests)],
    ["Received", bytesText(wire.bytes)],
    ["Given up", countText(wire.aborted)],
    ["Decoding", `${countText(Math.round(decodeMs))} ms in ${workers} worker${workers === 1 ? "" : "s"}`],
    ["Kept decoded", bytesText(caches.decoded.bytes)],
  ];
  return html`<h3>Since the page was opened</h3>
    <dl id="counters">${rows.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>`;
}
