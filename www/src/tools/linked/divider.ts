/**
 * The divider of a swipe: the picture is at its left, and the second at its right. It is dragged,
 * or moved with the arrow keys, and then tells where it is.
 */

export interface DividerOptions {
  /** The names of the pictures. */
  left: string;
  right: string;
  /** The share of the width, from 0 to 1. */
  share: number;
  move(share: number): void;
}

const STEP = 0.02;
const FAST = 0.1;
const KEYS: Record<string, number> = {
  ArrowLeft: -STEP,
  ArrowDown: -STEP,
  ArrowRight: STEP,
  ArrowUp: STEP,
  PageDown: -FAST,
  PageUp: FAST,
  Home: -1,
  End: 1,
};

export class Divider {
  readonly #handle = document.createElement("div");
  #share: number;

  constructor(
    readonly element: HTMLElement,
    readonly options: DividerOptions,
  ) {
    this.#share = options.share;
    this.#handle.className = "divider";
    this.#handle.tabIndex = 0;
    this.#handle.role = "slider";
    this.#handle.setAttribute("aria-label", `Divider between ${options.left} and ${options.right}`);
    this.#handle.setAttribute("aria-valuemin", "0");
    this.#handle.setAttribute("aria-valuemax", "100");
    this.#listen();
    element.append(this.#handle);
    this.#show();
  }

  #listen(): void {
    const handle = this.#handle;
    handle.addEventListener("keydown", (event) => {
      const step = KEYS[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.#set(this.#share + step);
    });
    handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const { left, width } = this.element.getBoundingClientRect();
      this.#set((event.clientX - left) / Math.max(width, 1));
    });
  }

  #set(share: number): void {
    this.#share = Math.max(0, Math.min(share, 1));
    this.#show();
    this.options.move(this.#share);
  }

  #show(): void {
    const percent = Math.round(this.#share * 100);
    this.element.style.setProperty("--divider", `${(this.#share * 100).toFixed(2)}%`);
    this.#handle.setAttribute("aria-valuenow", String(percent));
    this.#handle.setAttribute("aria-valuetext", `${percent} % ${this.options.left}`);
  }

  close(): void {
    this.#handle.remove();
  }
}
