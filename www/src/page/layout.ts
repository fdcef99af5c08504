/**
 * Which panels are open. On a wide screen they stand beside the picture, each by itself; on a small
 * one they are sheets below (upright) or beside it (lying), one at a time. How that looks is the
 * style sheet's.
 */

import { byId } from "./element.js";

export type PanelName = "data" | "display";

const PANELS: readonly PanelName[] = ["data", "display"];

/** In the reader's font size: twice the size of text is half the screen. */
const WIDE = 56;
/** Below this width two open panels would leave too little for the picture. */
const WIDE_ENOUGH_FOR_TWO = 76;
const HIGH = 30;
const NARROW = 20;

export class Layout {
  /** Panels that a person opened or closed are left as they are. */
  readonly #chosen = new Set<PanelName>();
  #isSmall: boolean | null = null;
  /** Of the window, in the reader's font size. */
  #width = 0;

  constructor() {
    for (const name of PANELS) {
      this.#switch(name).addEventListener("click", () => {
        this.#chosen.add(name);
        this.#set(name, !this.isOpen(name));
      });
    }
    this.#measure();
    // The head grows with the text.
    const sizes = new ResizeObserver(() => this.#measure());
    for (const part of [document.body, byId("address-form")]) sizes.observe(part);
  }

  isOpen(name: PanelName): boolean {
    return !byId(`panel-${name}`).hidden;
  }

  /** Opens or closes a panel for what is on show, unless a person has decided. */
  suggest(name: PanelName, open: boolean): void {
    if (this.#chosen.has(name) || this.#isSmall) return;
    const isCrowded = this.#width < WIDE_ENOUGH_FOR_TWO && this.#hasOther(name);
    this.#set(name, open && !isCrowded);
  }

  /** Whether another panel takes a part of the screen. One without content does not. */
  #hasOther(name: PanelName): boolean {
    return PANELS.some(
      (other) => other !== name && this.isOpen(other) && !this.#switch(other).matches(":disabled"),
    );
  }

  #measure(): void {
    const size = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    const [width, height] = [innerWidth / size, innerHeight / size];
    this.#width = width;
    const isLying = height < HIGH && width > height;
    const isSmall = isLying || width < WIDE;
    document.body.classList.toggle("small", isSmall);
    document.body.classList.toggle("lying", isLying);
    document.body.classList.toggle("narrow", width < NARROW);
    if (isSmall === this.#isSmall) return;
    this.#isSmall = isSmall;
    // On a small screen the picture comes first.
    for (const name of PANELS) this.#set(name, !isSmall && name === "display");
  }

  #switch(name: PanelName): HTMLElement {
    return byId(`switch-${name}`);
  }

  #set(name: PanelName, open: boolean): void {
    if (open && this.#isSmall) for (const other of PANELS) if (other !== name) this.#set(other, false);
    byId(`panel-${name}`).hidden = !open;
    this.#switch(name).setAttribute("aria-expanded", String(open));
  }
}
