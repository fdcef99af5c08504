/**
 * The dialog with code that reads what is on the screen, in four languages, and a button to copy.
 */

import "./share.css";
import { html, nothing, render } from "lit-html";
import { showDialog } from "../../widgets/page/dialog.js";
import { button, shortened } from "../../widgets/page/element.js";
import { TAB_PANEL, tabs } from "../../widgets/page/tabs.js";
import { type ViewReads, viewReads } from "../../widgets/views/view_reads.js";
import type { ViewSnapshot } from "../../widgets/views/view_snapshot.js";
import { LANGUAGES, type Language } from "./code.js";
import { copyText } from "./copy_text.js";

/** The language that was chosen last, as long as the page is open. */
let chosen: Language["id"] = "zarr-wasm";

const TABS = LANGUAGES.map(({ id }) => ({ id, name: id }));

function aboutOf({ reads, difference }: ViewReads): string {
  if (difference) return "It reads the elements in view of both pictures, and subtracts them.";
  const which = reads.length > 1 ? "the elements in view of each picture" : "the elements in view";
  return `It reads ${which}, of the level that is drawn, without colours.`;
}

export function showCode(snapshot: ViewSnapshot): void {
  const read = viewReads(snapshot);
  const { body } = showDialog("Code for this view", "code-dialog");
  let status = "";
  const choose = (id: Language["id"]) => {
    [chosen, status] = [id, ""];
    draw();
  };
  const copy = async (code: string) => {
    status = (await copyText(code)) ? "Copied." : "Select the code and copy it: this page may not.";
    draw();
  };
  const draw = () => {
    const code = LANGUAGES.find(({ id }) => id === chosen)?.write(read) ?? null;
    const missing = html`<p class="note">${chosen} does not read this kind of store.</p>`;
    const text = html`<pre class="code" tabindex="0" aria-label="Code"><code>${shortened(code ?? "")}</code></pre>
      <div class="actions">
        <output>${status}</output>${button("Copy", () => void copy(code ?? ""), "primary")}
      </div>`;
    render(
      html`<p class="note">${aboutOf(read)}</p>
        ${tabs("Library", TABS, chosen, choose)}
        <div id=${TAB_PANEL} role="tabpanel" aria-labelledby="tab-${chosen}">
          ${code === null ? missing : text}
        </div>
        ${read.reads.some(({ store }) => store.isLocal) ? html`<p class="note">Replace the name by the path on your computer.</p>` : nothing}`,
      body,
    );
  };
  draw();
}
