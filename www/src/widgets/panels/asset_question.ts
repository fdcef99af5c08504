/**
 * The question which data set of a STAC document to open: a list with titles, roles, formats and
 * addresses. Escape and another data set mean none.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import type { Asset } from "zarr-wasm";
import { type AskAsset, NothingChosenError } from "../../model/opening/stac.js";
import { countText } from "../../model/text/numbers.js";
import { button, shortened } from "../page/element.js";
import { inParts } from "../page/long_list.js";

const FORMATS: Record<Asset["format"], string> = {
  zarr: "Zarr",
  zip: "Zarr in an archive",
  references: "kerchunk references",
  icechunk: "Icechunk",
};

/** The scheme and the server, which differ where a document names the same data twice. */
const serverOf = (url: string) => /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(url)?.[0] ?? "";

function row(asset: Asset, open: (asset: Asset) => void): TemplateResult {
  const { key, alternate, title, format, roles, path, url, document: id } = asset;
  const name = title || key;
  const about = [FORMATS[format], roles.join(", "), alternate].filter(Boolean).join(" · ");
  const location = path === "" ? "the whole store" : path;
  return html`<li><button type="button" class="asset" @click=${() => open(asset)}>
    <b>${shortened(name)}</b>
    <span>${shortened(about)}</span>
    <span class="place">${shortened(location)}<br />${shortened(serverOf(url))}</span>
    ${id && title ? html`<span class="place">${shortened(`${id}: ${key}`)}</span>` : nothing}
  </button></li>`;
}

function question(name: string, assets: readonly Asset[], open: (asset: Asset) => void, cancel: () => void) {
  return html`<h2 id="question-title">Which data set?</h2>
    <p id="question-text">${shortened(`“${name}”`)} is a STAC document. It names ${countText(assets.length)} data sets.</p>
    <ul class="assets">${inParts(assets, (asset) => row(asset, open))}</ul>
    <div class="actions">${button("Cancel", cancel)}</div>`;
}

export const askForAsset: AskAsset = (name, assets, signal) =>
  new Promise((choose, refuse) => {
    const dialog = document.createElement("dialog");
    let chosen: Asset | undefined;
    dialog.className = "question asset-question";
    dialog.setAttribute("aria-labelledby", "question-title");
    dialog.setAttribute("aria-describedby", "question-text");
    const stop = () => dialog.close();
    const open = (asset: Asset) => {
      chosen = asset;
      stop();
    };
    render(question(name, assets, open, stop), dialog);
    dialog.addEventListener("close", () => {
      signal.removeEventListener("abort", stop);
      dialog.remove();
      if (chosen) choose(chosen);
      else refuse(new NothingChosenError(`“${name}” names ${countText(assets.length)} data sets.`));
    });
    signal.addEventListener("abort", stop);
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("button")?.focus();
    if (signal.aborted) stop();
  });
