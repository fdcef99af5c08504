/**
 * The part "Structure" of the panel: codecs in words, sizes, and the grid of chunks on the picture.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { elementBytes } from "../../model/scene/data_type.js";
import type { ArrayNode } from "../../model/scene/scene.js";
import { bytesText, countText, shapeText } from "../../model/text/numbers.js";
import { shortened, withValue } from "../../widgets/page/element.js";
import type { ViewSnapshot } from "../../widgets/views/view_snapshot.js";
import { colouredCells, type Key, measuredCells } from "./cell_colors.js";
import { type CellsInView, cellsInView, MAX_CELLS } from "./chunk_cells.js";
import { type CodecWords, codecWords } from "./codec_words.js";
import { COLOURINGS, type Colouring } from "./colouring.js";
import { GridLayer } from "./grid_layer.js";
import { StoredFacts } from "./stored_facts.js";

export interface Inspected {
  snapshot(): ViewSnapshot | null;
  /** Puts a layer above the picture, or takes it away. */
  setOverlay(layer: GridLayer | null): void;
  /** The choice has changed. */
  onColouring(colouring: Colouring | null): void;
}

const NAMES: Record<Colouring, string> = { size: "Stored size", presence: "Presence", age: "Age" };

export class Structure {
  readonly #element: HTMLElement;
  readonly #inspected: Inspected;
  readonly #layer = new GridLayer();
  #facts = new StoredFacts();
  #source = "";
  #colouring: Colouring | null = null;
  #asking = new AbortController();
  #cells: CellsInView | null = null;
  #key: Key | null = null;
  /** Why the store did not tell all sizes. */
  #failure = "";

  constructor(element: HTMLElement, inspected: Inspected) {
    this.#element = element;
    this.#inspected = inspected;
  }

  /** Shows the grid, coloured by this; hides it if it is null. */
  setColouring(colouring: Colouring | null): void {
    this.#colouring = colouring;
    this.update();
  }

  /** Looks at what is on the screen. */
  update(): void {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    const snapshot = this.#inspected.snapshot();
    [this.#cells, this.#failure] = [null, ""];
    if (snapshot && this.#colouring) this.#grid(snapshot, this.#colouring, signal);
    if (!this.#cells) this.#inspected.setOverlay(null);
    this.#render(snapshot);
  }

  #grid(snapshot: ViewSnapshot, colouring: Colouring, signal: AbortSignal): void {
    if (snapshot.source.key !== this.#source)
      [this.#facts, this.#source] = [new StoredFacts(), snapshot.source.key];
    const { state, box } = snapshot;
    const cells = cellsInView(state.scene, box);
    if (!cells) return;
    this.#cells = cells;
    const draw = () => {
      if (signal.aborted) return;
      const { map, key } = colouredCells(cells, this.#facts, colouring, {
        scene: state.scene,
        level: box.level,
      });
      this.#layer.show(map);
      this.#key = key;
      this.#render(snapshot);
    };
    draw();
    this.#inspected.setOverlay(this.#layer);
    const onFound = once(draw);
    const onError = (error: Error) => {
      if (!signal.aborted) this.#failure = error.message;
      onFound();
    };
    // The picture and the panel are not held up by a slow server.
    this.#facts.ask(cells, { signal, onFound }).catch(onError);
  }

  #render(snapshot: ViewSnapshot | null): void {
    if (!snapshot) {
      render(html`<p class="note">There is no picture to look at.</p>`, this.#element);
      return;
    }
    const { scene } = snapshot.state;
    const array = scene.pyramid.levels[snapshot.box.level]?.array ?? scene.array;
    render(
      html`<dl class="structure-facts">${factsOf(array).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
        <h3>Codecs, in the order of writing</h3>
        ${wordList(codecWords(array.codecs))} ${this.#choice(scene.warped !== undefined)}
        ${this.#cells ? this.#inView(this.#cells) : nothing}`,
      this.#element,
    );
  }

  #choice(isWarped: boolean): TemplateResult {
    if (isWarped)
      return html`<p class="note">Rows and columns are not those of the map, so chunks are not drawn.</p>`;
    const option = (value: Colouring | "", name: string) =>
      html`<option value=${value} ?selected=${value === (this.#colouring ?? "")}>${name}</option>`;
    const choose = withValue((value) => {
      const colouring = COLOURINGS.find((each) => each === value) ?? null;
      this.setColouring(colouring);
      this.#inspected.onColouring(colouring);
    });
    return html`<label class="grid-choice">
        <span>Grid of chunks</span>
        <select id="chunk-grid" @change=${choose}>
          ${option("", "Hidden")}${COLOURINGS.map((colouring) => option(colouring, NAMES[colouring]))}
        </select>
      </label>
      ${
        this.#colouring && !this.#cells
          ? html`<p class="note" role="status">More than ${countText(MAX_CELLS)} chunks are in view. Zoom in to see them.</p>`
          : nothing
      }`;
  }

  #inView(cells: CellsInView): TemplateResult {
    const measured = measuredCells(cells, this.#facts);
    const known = measured.filter(({ bytes }) => bytes !== undefined);
    const stored = known.filter(({ bytes }) => bytes !== null);
    const bytes = stored.reduce((sum, own) => sum + (own.bytes ?? 0), 0);
    const size = elementBytes(cells.array.dtype);
    const decoded =
      cells.array.chunks.reduce((product, length) => product * length, size ?? 0) * stored.length;
    const ratio = decoded > 0 && bytes > 0 ? `: ${(decoded / bytes).toFixed(1)} to 1` : "";
    const ofDecoded = decoded > 0 ? ` of ${bytesText(decoded)} decoded` : "";
    const rest = measured.length - known.length;
    return html`<p id="chunks-in-view" role="status">${countText(stored.length)} of ${countText(known.length)} chunks in
        view are stored, ${bytesText(bytes)}${ofDecoded}${ratio}.
        ${rest > 0 ? `${countText(rest)} are not known${this.#failure ? `: ${this.#failure}` : " yet."}` : ""}</p>
      ${this.#key ? keyBar(this.#key) : html`<p class="note">This store does not tell when chunks were changed.</p>`}`;
  }
}

function keyBar({ colors, low, high }: Key): TemplateResult {
  const background = `background: linear-gradient(to right, ${colors.join(", ")})`;
  return html`<div class="grid-key">
    <div class="bar" role="img" aria-label="Colours from ${low} to ${high}" .style=${background}></div>
    <span>${low}</span><span>${high}</span>
  </div>`;
}

function factsOf(array: ArrayNode): [string, string][] {
  const { chunks, shards, gridShape } = array;
  const size = elementBytes(array.dtype);
  const bytes = (shape: readonly number[]) => {
    const own = shape.reduce((product, length) => product * length, size ?? 0);
    return size ? `, ${bytesText(own)} decoded` : "";
  };
  const count = gridShape.reduce((product, length) => product * length, 1);
  return [
    ["Array", `/${array.path.replace(/^\//, "")}`],
    ["Chunks", `${countText(count)} of ${shapeText(chunks)}${bytes(chunks)}`],
    ...(shards ? [["Shards", `${shapeText(shards)}${bytes(shards)}`] as [string, string]] : []),
  ];
}

function wordList(codecs: readonly CodecWords[]): unknown {
  if (codecs.length === 0) return html`<p class="note">None: elements are stored as they are.</p>`;
  return html`<ol class="codec-words">
    ${codecs.map(({ name, words, inner }) => {
      return html`<li title=${name}>${shortened(words)}${inner.length > 0 ? wordList(inner) : nothing}</li>`;
    })}
  </ol>`;
}

/** Calls a function at most once per frame. */
function once(work: () => void): () => void {
  let frame = 0;
  return () => {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      work();
    });
  };
}
