/** Messages above the picture: errors with advice, and notes. The picture stays visible. */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import type { Explanation } from "../../model/text/errors.js";
import { iconButton, shortened } from "../page/element.js";

/** Maximum number of different notes. */
const MAX_NOTES = 50;

type Message = string | Explanation;

export class Messages {
  readonly #element: HTMLElement;
  readonly #said = new Set<string>();
  #messages: readonly Message[] = [];

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  clear(): void {
    this.#show([]);
  }

  /** Shows a note once. */
  note(text: string): void {
    if (this.#said.has(text) || this.#said.size >= MAX_NOTES) return;
    this.#said.add(text);
    this.#show([...this.#messages, text]);
  }

  fail(explanation: Explanation): void {
    this.#show([explanation]);
  }

  #show(messages: readonly Message[]): void {
    this.#messages = messages;
    const box = (message: Message) => {
      const dismiss = () => this.#show(this.#messages.filter((other) => other !== message));
      return boxOf(message, iconButton("close", "Dismiss", dismiss));
    };
    render(
      repeat(messages, (message) => message, box),
      this.#element,
    );
  }
}

function boxOf(message: Message, close: TemplateResult): TemplateResult {
  if (typeof message === "string")
    return html`<div class="message note-box" role="status"><p>${shortened(message)}</p>${close}</div>`;
  const { title, cause, cure, detail } = message;
  return html`<div class="message alert" role="alert">
    <h2>${title}</h2>
    <p>${shortened(cause)}</p>
    <p class="cure">${cure}</p>
    ${detail ? html`<details><summary>Details</summary><pre>${shortened(detail)}</pre></details>` : nothing}
    ${close}
  </div>`;
}
