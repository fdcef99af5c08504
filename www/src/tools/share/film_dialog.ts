/** The dialog that makes a film of a play along a dimension, with progress and a way to stop it. */

import "./share.css";
import { html, nothing, render, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { slidAxes } from "../../model/scene/scene_state.js";
import { isAbort } from "../../model/text/errors.js";
import { bytesText } from "../../model/text/numbers.js";
import { showDialog } from "../../widgets/page/dialog.js";
import { button, shortened, tickBox, withValue } from "../../widgets/page/element.js";
import { fileName, saveFile } from "../../widgets/page/save_file.js";
import { picturesOf, type ViewSnapshot, wholeOf } from "../../widgets/views/view_snapshot.js";
import { widthField, widthsFor } from "./file_width.js";
import { filmEncoder, formatsFor, shoot } from "./film.js";
import type { FilmFormat } from "./film_encoder.js";
import { Frames, sizeFor } from "./frames.js";

/** A file that takes a minute to make, and is as wide as most pages. */
const USUAL_WIDTH = 960;
const SPEEDS = [1, 2, 5, 10, 20, 30];
const FORMAT_NAMES: Record<FilmFormat, string> = { mp4: "MP4 (H.264)", webm: "WebM (VP9)", gif: "GIF" };

/** What the user has chosen. */
interface Choices {
  name: string;
  first: number;
  last: number;
  speed: number;
  width: number;
  /** Null until the formats of this browser are known. */
  format: FilmFormat | null;
  isMarked: boolean;
}

export function showFilmDialog(snapshot: ViewSnapshot): void {
  new FilmDialog(snapshot).draw();
}

class FilmDialog {
  readonly #snapshot: ViewSnapshot;
  readonly #body: HTMLElement;
  readonly #choices: Choices;
  #formats: readonly FilmFormat[] = [];
  /** Aborts the film in progress. */
  #making: AbortController | null = null;
  #done = 0;
  #status = "";

  constructor(snapshot: ViewSnapshot) {
    this.#snapshot = snapshot;
    const [axis] = slidAxes(snapshot.state.scene);
    const width = Math.min(USUAL_WIDTH, widthsFor(wholeOf(snapshot)).usual);
    const last = (axis?.length ?? 1) - 1;
    this.#choices = { name: axis?.name ?? "", first: 0, last, speed: 5, width, format: null, isMarked: true };
    this.#body = showDialog("Save film", "film-dialog", () => this.#making?.abort()).body;
    void this.#findFormats();
  }

  /** Finds the formats of this size, and keeps the chosen one if it is among them. */
  async #findFormats(): Promise<void> {
    this.#formats = await formatsFor(sizeFor(wholeOf(this.#snapshot), this.#choices.width));
    const [best = "gif"] = this.#formats;
    const { format } = this.#choices;
    this.#set({ format: format && this.#formats.includes(format) ? format : best });
  }

  #set(changed: Partial<Choices>): void {
    Object.assign(this.#choices, changed);
    this.draw();
  }

  draw(): void {
    const fields = html`<fieldset class="film-fields" ?disabled=${this.#making !== null}>
      ${this.#range()} ${this.#look()}
    </fieldset>`;
    render(html`${fields}${this.#making ? this.#progress() : this.#actions()}`, this.#body);
  }

  #range(): TemplateResult {
    const { name, first, last } = this.#choices;
    const axes = slidAxes(this.#snapshot.state.scene);
    const length = axes.find((axis) => axis.name === name)?.length ?? 1;
    const choose = withValue((chosen) => {
      const axis = axes.find((axis) => axis.name === chosen);
      if (axis) this.#set({ name: chosen, first: 0, last: axis.length - 1 });
    });
    const index = (label: string, value: number, set: (index: number) => void) => {
      const take = withValue((text) => {
        set(text === "" ? value : Math.max(0, Math.min(Math.round(Number(text)) || 0, length - 1)));
      });
      return html`<label>${label}
        <input type="number" min="0" max=${length - 1} .value=${live(String(value))} @change=${take} />
      </label>`;
    };
    const option = (axis: { name: string }) =>
      html`<option value=${axis.name} ?selected=${axis.name === name}>${shortened(axis.name)}</option>`;
    return html`<label>Along <select aria-label="Dimension" @change=${choose}>${axes.map(option)}</select></label>
      ${index("From index", first, (chosen) => this.#set({ first: chosen, last: Math.max(chosen, last) }))}
      ${index("to", last, (chosen) => this.#set({ last: chosen, first: Math.min(chosen, first) }))}`;
  }

  #look(): TemplateResult {
    const { speed, format, width, isMarked } = this.#choices;
    const speeds = SPEEDS.map(
      (each) => html`<option value=${each} ?selected=${each === speed}>${each} / s</option>`,
    );
    const formats = this.#formats.map(
      (each) => html`<option value=${each} ?selected=${each === format}>${FORMAT_NAMES[each]}</option>`,
    );
    const setSpeed = withValue((value) => this.#set({ speed: Number(value) }));
    const setFormat = withValue((value) => this.#set({ format: value as FilmFormat }));
    const hasMarks = picturesOf(this.#snapshot).some(({ marks }) => marks.length > 0);
    const setMarked = (isOn: boolean) => this.#set({ isMarked: isOn });
    const setWidth = (width: number) => {
      this.#set({ width });
      void this.#findFormats();
    };
    return html`<label>Speed <select aria-label="Speed" @change=${setSpeed}>${speeds}</select></label>
      <label>Format <select aria-label="Format" @change=${setFormat}>${formats}</select></label>
      ${widthField(wholeOf(this.#snapshot), width, setWidth)}
      ${hasMarks ? tickBox("Marks", isMarked, setMarked) : nothing}`;
  }

  #actions(): TemplateResult {
    const { first, last, speed } = this.#choices;
    const count = last - first + 1;
    return html`<p class="note">${count} frames, ${(count / speed).toFixed(1)} s.</p>
      <div class="actions">
        <output>${this.#status}</output>
        ${this.#formats.length > 0 ? button("Make film", () => void this.#make(), "primary") : nothing}
      </div>`;
  }

  #progress(): TemplateResult {
    const { first, last } = this.#choices;
    const count = last - first + 1;
    return html`<label class="film-progress">Frame ${Math.min(this.#done + 1, count)} of ${count}
        <progress max=${count} value=${this.#done}></progress>
      </label>
      <div class="actions">${button("Stop", () => this.#making?.abort())}</div>`;
  }

  async #make(): Promise<void> {
    const making = new AbortController();
    [this.#making, this.#done, this.#status] = [making, 0, ""];
    this.draw();
    try {
      const file = await this.#film(making.signal);
      const { state, source } = this.#snapshot;
      const ending = file.type.split("/")[1] ?? "";
      saveFile(fileName([source.name, state.scene.title, this.#choices.name], ending), file);
      this.#status = `Saved: ${bytesText(file.size)}.`;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#status = isAbort(error) ? "Stopped." : `It could not be made: ${why}`;
    } finally {
      this.#making = null;
      this.draw();
    }
  }

  async #film(signal: AbortSignal): Promise<Blob> {
    const { state } = this.#snapshot;
    const { name, first, last, speed, width, format, isMarked } = this.#choices;
    if (!format) throw new Error("this browser makes no films");
    const size = sizeFor(wholeOf(this.#snapshot), width);
    const frames = new Frames({ snapshot: this.#snapshot, size, isAnnotated: true, isMarked });
    try {
      await frames.open();
      const encoder = await filmEncoder(format, { canvas: frames.canvas, speed });
      return await shoot(encoder, {
        steps: Array.from({ length: last - first + 1 }, (_, at) => first + at),
        draw: (step) => {
          const at = { ...state.at, [name]: step };
          if (step < last) frames.preload({ ...at, [name]: step + 1 });
          return frames.draw(at);
        },
        onProgress: (done) => {
          this.#done = done;
          this.draw();
        },
        signal,
      });
    } finally {
      frames.close();
    }
  }
}
