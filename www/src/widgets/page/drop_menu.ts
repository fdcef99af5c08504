/** A menu below a button of the head: opens it, and closes it after a press elsewhere or Escape. */

import { html, nothing, type TemplateResult } from "lit-html";
import { type IconName, icon } from "./element.js";

export class DropMenu {
  /** `fill` renders the entries each time that the menu opens. */
  constructor(
    readonly menu: HTMLElement,
    readonly button: HTMLElement,
    readonly fill: () => void,
  ) {
    button.addEventListener("click", () => (menu.hidden ? this.#open() : this.close()));
    document.addEventListener("pointerdown", (event) => {
      const target = event.target as Node;
      if (!menu.contains(target) && !button.contains(target)) this.close();
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.close();
      button.focus();
    });
  }

  #open(): void {
    this.fill();
    this.menu.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
  }

  close(): void {
    this.menu.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
  }

  /** An entry, which closes the menu. */
  entry(picture: IconName, name: string, about: string, press: () => void): TemplateResult {
    const choose = () => {
      this.close();
      this.button.focus(); // the entry is hidden, and dialogs give the focus back when they close
      press();
    };
    return html`<button type="button" class="entry" title=${name} @click=${choose}>
      ${content(picture, name, about)}
    </button>`;
  }

  /** An entry that opens another site in a new tab. That site is not told where the link was. */
  link(
    picture: IconName,
    { name, about, url }: { name: string; about: string; url: string },
  ): TemplateResult {
    return html`<a class="entry" title=${name} href=${url} target="_blank" rel="noreferrer" @click=${() => this.close()}>
      ${content(picture, name, about)}
    </a>`;
  }
}

const content = (picture: IconName, name: string, about: string): TemplateResult[] => [
  icon(picture),
  html`<span class="words"><span>${name}</span>${about ? html`<span class="about">${about}</span>` : nothing}</span>`,
];
