/**
 * The menu for opening a data set: samples, a folder or file of this computer, and recent data
 * sets. It also handles dropped items.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { addressOfDrop, chooseFile, chooseFolder, sourceOfDrop } from "../../model/opening/local_files.js";
import { forgetSources, recentSources } from "../../model/opening/recent.js";
import { SAMPLES } from "../../model/opening/samples.js";
import type { Source } from "../../model/opening/source.js";
import { DropMenu } from "../page/drop_menu.js";
import { button, byId } from "../page/element.js";
import { askForHosts } from "./host_question.js";

export class OpenMenu {
  onAddress: (address: string) => void = () => {};
  onSource: (source: Source) => void = () => {};
  onError: (error: unknown) => void = () => {};

  readonly #menu = new DropMenu(byId("open-menu"), byId("open-switch"), () => this.#fill());

  constructor() {
    this.#listenToDrops();
  }

  #fill(): void {
    const recent = recentSources().map((source) =>
      this.#menu.entry("clock", shortened(source), "", () => this.onAddress(source)),
    );
    const samples = SAMPLES.map(([name, about, address]) =>
      this.#menu.entry("picture", name, about, () => this.onAddress(address)),
    );
    const forget = () => {
      forgetSources();
      this.#fill();
    };
    const local = html`${this.#menu.entry("folder", "Open folder…", "A Zarr folder on this computer", () =>
      this.#choose(chooseFolder),
    )}
    ${this.#menu.entry("file", "Open file…", "A .zip or .ozx archive, or kerchunk references", () =>
      this.#choose(() => chooseFile(askForHosts)),
    )}
    <p class="note">Or drop a folder, an archive or a link on the page. Nothing is uploaded.</p>`;
    render(
      html`${group("On this computer", local)} ${group("Samples", samples)}
      ${recent.length > 0 ? group("Recent", [recent, button("Clear list", forget, "quiet")]) : nothing}`,
      this.#menu.menu,
    );
  }

  async #choose(choice: () => Promise<Source | null>): Promise<void> {
    try {
      const source = await choice();
      if (source) this.onSource(source);
    } catch (error) {
      this.onError(error);
    }
  }

  #listenToDrops(): void {
    const { body } = document;
    const mark = (on: boolean) => body.classList.toggle("dropping", on);
    // The page must accept a drop from the first event on.
    for (const type of ["dragenter", "dragover"] as const) {
      body.addEventListener(type, (event) => {
        event.preventDefault();
        mark(true);
      });
    }
    body.addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) mark(false);
    });
    body.addEventListener("drop", (event) => {
      event.preventDefault();
      mark(false);
      if (event.dataTransfer) this.#take(event.dataTransfer);
    });
  }

  /** Dropped items are valid only during the event, so they are read before any `await`. */
  #take(transfer: DataTransfer): void {
    const address = addressOfDrop(transfer);
    const hasFiles = [...transfer.items].some(({ kind }) => kind === "file");
    if (!hasFiles) {
      if (address) this.onAddress(address);
      return;
    }
    sourceOfDrop(transfer, askForHosts).then(
      (source) => source && this.onSource(source),
      (error: unknown) => this.onError(error),
    );
  }
}

const group = (title: string, entries: unknown): TemplateResult =>
  html`<section class="menu-group" aria-label=${title}><h2>${title}</h2>${entries}</section>`;

/** The end of a URL, which differs most between data sets. */
const shortened = (source: string) => (source.length > 64 ? `…${source.slice(-62)}` : source);
