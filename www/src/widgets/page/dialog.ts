/** A dialog of the page: a title, a way to close it, and a body. Escape closes it, too. */

import { html, render } from "lit-html";
import { iconButton } from "./element.js";

export interface PageDialog {
  /** The element that the caller fills. */
  readonly body: HTMLElement;
  close(): void;
}

/** Shows a dialog. `onClose` is called once, however it closes. */
export function showDialog(title: string, className: string, onClose: () => void = () => {}): PageDialog {
  const dialog = document.createElement("dialog");
  const body = document.createElement("div");
  const close = () => dialog.close();
  dialog.className = `page-dialog ${className}`;
  dialog.setAttribute("aria-labelledby", "dialog-title");
  const head = html`<header><h2 id="dialog-title">${title}</h2>${iconButton("close", "Close", close)}</header>`;
  render(html`${head}${body}`, dialog);
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose();
  });
  document.body.append(dialog);
  dialog.showModal();
  return { body, close };
}
