/**
 * The panel "Insight": why the view is slow, and how its array is stored. It is loaded when it
 * opens for the first time. It looks at the page once a second while it is visible.
 */

import "./insight.css";
import { html, render } from "lit-html";
import type { Colouring } from "./colouring.js";
import { Speed, type Watched } from "./speed.js";
import { type Inspected, Structure } from "./structure.js";

const REFRESH_MS = 1000;
/** The camera moves for a while. */
const REST_MS = 250;

export class InsightPanel {
  readonly #speed: Speed;
  readonly #structure: Structure;
  #rest = 0;

  constructor(element: HTMLElement, looks: Watched & Inspected) {
    const speed = document.createElement("div");
    const structure = document.createElement("div");
    render(
      html`<section aria-label="Structure"><h2>Structure</h2>${structure}</section>
        <section aria-label="Why is it slow?"><h2>Why is it slow?</h2>${speed}</section>`,
      element,
    );
    this.#speed = new Speed(speed, looks);
    this.#structure = new Structure(structure, looks);
    const look = () => {
      if (element.offsetParent !== null) void this.#speed.update();
    };
    setInterval(look, REFRESH_MS);
    look();
    this.changed();
  }

  /** What is on the screen has changed. */
  changed(): void {
    clearTimeout(this.#rest);
    this.#rest = window.setTimeout(() => this.#structure.update(), REST_MS);
  }

  /** Shows the grid of chunks in these colours; hides it if it is null. */
  setColouring(colouring: Colouring | null): void {
    this.#structure.setColouring(colouring);
  }
}
