/**
 * Which panels are open. On a wide screen they stand beside the picture, each by itself; on a small one they are sheets below
 * (upright) or beside it (lying), one at a time. How that looks is the style sheet's.
 */

import { byId } from "./element.js";

export type PanelName = "data" | "display";

const PANELS: readonly PanelName[] = ["data", "display"];

/** The same condition as in `style/small.css`. */
const SMALL = matchMedia("(max-width: 56rem), (max-height: 30rem)");

export class Layout {
  /** The picture has got more or less room. */
  onChange: () => void = () => {};
  /** Panels that a person opened or closed are left as they are. */
  readonly #chosen = new Set<PanelName>();

  constructor() {
    for (const name of PANELS) {
      this.#switch(name).addEventListener("click", () => {
        this.#chosen.add(name);
        this.#set(name, !this.isOpen(name));
      });
    }
    SMALL.addEventListener("change", () => this.#arrange());
    this.#arrange();
  }

  isOpen(name: PanelName): boolean {
    return !byId(`panel-${name}`).hidden;
  }

  /** What is best for what is on show, unless a person has decided. On a small screen the picture comes first. */
  suggest(name: PanelName, open: boolean): void {
    if (!this.#chosen.has(name) && !SMALL.matches) this.#set(name, open);
  }

  #arrange(): void {
    if (SMALL.matches) for (const name of PANELS) this.#set(name, false);
    else this.#set("display", true);
  }

  #switch(name: PanelName): HTMLElement {
    return byId(`switch-${name}`);
  }

  #set(name: PanelName, open: boolean): void {
    if (open && SMALL.matches) for (const other of PANELS) if (other !== name) this.#set(other, false);
    byId(`panel-${name}`).hidden = !open;
    this.#switch(name).setAttribute("aria-expanded", String(open));
    this.onChange();
  }
}
