/** The buttons for what is shown beside the picture: one plane or three, and a comparison. */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { button } from "../../widgets/page/element.js";
import { planesOf } from "./axis_positions.js";
import type { Linked } from "./linked.js";
import type { LinkedState } from "./linked_views.js";

export class LinkedButtons {
  constructor(
    readonly linked: Linked,
    readonly element: HTMLElement,
  ) {
    linked.onOpen = () => this.#render();
  }

  #render(): void {
    const { linked } = this;
    const words = linked.state().compare ? "Compare with another…" : "Compare with…";
    const ask = () => void this.#ask().catch((error: unknown) => linked.options.fail(error));
    render(linked.content ? html`${this.#planes()} ${button(words, ask)}` : nothing, this.element);
  }

  /** Asks what the picture is compared with. */
  async #ask(): Promise<void> {
    const { linked } = this;
    const { content, signal } = linked;
    const { askForSecond } = await import("./ask_for_second.js");
    const { scene, at } = linked.view;
    if (!content || !scene) return;
    const { compare = { how: "beside" } } = linked.state();
    await askForSecond({ ...content, scene }, at, signal, (other) => linked.choose({ compare, with: other }));
  }

  /** The choice of one plane or of three, for a volume. */
  #planes(): TemplateResult | typeof nothing {
    const { linked } = this;
    const { scene } = linked.view;
    const planes = scene && planesOf(scene);
    if (!planes) return nothing;
    const names = planes.map(({ x, y }) => `${scene.axes[x]?.name}${scene.axes[y]?.name}`);
    const three = names.every(({ length }) => length === 2) ? "xy, xz and yz" : "Three";
    const isThree = linked.state().planes !== undefined;
    const choice = (name: string, isOn: boolean, state: LinkedState) => {
      const choose = () => isOn || linked.choose(state);
      return html`<button type="button" aria-pressed=${isOn} @click=${choose}>${name}</button>`;
    };
    return html`<div class="segments" role="group" aria-label="Number of planes">
      ${choice("One plane", !isThree, {})} ${choice(three, isThree, { planes: {} })}
    </div>`;
  }
}
