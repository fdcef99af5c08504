/**
 * Opens and closes panels. On a wide screen panels are beside the picture. On a small screen one
 * panel at a time is a sheet, below the picture in portrait and beside it in landscape. The style
 * sheets have the design.
 */

import { byId } from "./element.js";

export type PanelName = "data" | "insight" | "display";

const PANELS: readonly PanelName[] = ["data", "insight", "display"];
/** Panels that share a corner, so that one of them is open at a time. */
const LEFT: readonly PanelName[] = ["data", "insight"];

/** In units of the font size, because larger text needs a larger screen. */
const WIDE = 56;
/** Below this width two open panels would leave too little space for the picture. */
const WIDE_ENOUGH_FOR_TWO = 76;
const HIGH = 30;
const NARROW = 20;

export class Layout {
  /** The user has opened or closed a panel. */
  onChange: () => void = () => {};
  /** Panels that the user opened or closed. They are not changed automatically. */
  readonly #chosen = new Set<PanelName>();
  #isSmall: boolean | null = null;
  /** The window's size in units of the font size. */
  #width = 0;

  constructor() {
    for (const name of PANELS) {
      this.#switch(name).addEventListener("click", () => {
        this.#chosen.add(name);
        this.#set(name, !this.isOpen(name));
        this.onChange();
      });
    }
    this.#measure();
    // The height of the head depends on the font size.
    const sizes = new ResizeObserver(() => this.#measure());
    for (const part of [document.body, byId("address-form")]) sizes.observe(part);
  }

  isOpen(name: PanelName): boolean {
    return !byId(`panel-${name}`).hidden;
  }

  /** The open panels. Undefined if the user has not chosen any. */
  state(): PanelName[] | undefined {
    return this.#chosen.size > 0 ? PANELS.filter((name) => this.isOpen(name)) : undefined;
  }

  /** Opens the panels that the user has chosen before. */
  restore(panels: readonly string[]): void {
    for (const name of PANELS) {
      this.#chosen.add(name);
      this.#set(name, panels.includes(name));
    }
  }

  /** Opens or closes a panel for a new content, unless the user has done so. */
  suggest(name: PanelName, open: boolean): void {
    if (this.#chosen.has(name) || this.#isSmall) return;
    const isCrowded = this.#width < WIDE_ENOUGH_FOR_TWO && this.#hasOther(name);
    this.#set(name, open && !isCrowded);
  }

  /** Whether another panel with content is open. */
  #hasOther(name: PanelName): boolean {
    return PANELS.some(
      (other) => other !== name && this.isOpen(other) && !this.#switch(other).matches(":disabled"),
    );
  }

  #measure(): void {
    const size = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    const [width, height] = [innerWidth / size, innerHeight / size];
    this.#width = width;
    const isLandscape = height < HIGH && width > height;
    const isSmall = isLandscape || width < WIDE;
    document.body.classList.toggle("small", isSmall);
    document.body.classList.toggle("landscape", isLandscape);
    document.body.classList.toggle("narrow", width < NARROW);
    if (isSmall === this.#isSmall) return;
    this.#isSmall = isSmall;
    // On a small screen the picture has precedence.
    for (const name of PANELS) this.#set(name, !isSmall && name === "display");
  }

  #switch(name: PanelName): HTMLElement {
    return byId(`switch-${name}`);
  }

  #set(name: PanelName, open: boolean): void {
    const neighbours = LEFT.includes(name) ? LEFT : [];
    const rivals = this.#isSmall ? PANELS : neighbours;
    if (open) for (const other of rivals) if (other !== name) this.#set(other, false);
    byId(`panel-${name}`).hidden = !open;
    this.#switch(name).setAttribute("aria-expanded", String(open));
  }
}
