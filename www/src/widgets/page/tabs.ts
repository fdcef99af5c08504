/** Tabs: one is chosen, by a press or by the arrow keys. The caller renders the panel below. */

import { html, type TemplateResult } from "lit-html";

export interface Tab<Id extends string> {
  id: Id;
  name: string;
}

/** The id of the panel's element. */
export const TAB_PANEL = "tab-panel";

/** A row of tabs above the element `TAB_PANEL`. */
export function tabs<Id extends string>(
  label: string,
  all: readonly Tab<Id>[],
  chosen: Id,
  choose: (id: Id) => void,
): TemplateResult {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = all.findIndex(({ id }) => id === chosen);
    const next = step && all[(at + step + all.length) % all.length];
    if (!next) return;
    event.preventDefault();
    const list = event.currentTarget as HTMLElement;
    choose(next.id);
    list.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  };
  const tab = ({ id, name }: Tab<Id>) => html`<button
    type="button"
    role="tab"
    id="tab-${id}"
    aria-selected=${id === chosen}
    aria-controls=${TAB_PANEL}
    tabindex=${id === chosen ? 0 : -1}
    @click=${() => choose(id)}
  >${name}</button>`;
  return html`<div class="tabs" role="tablist" aria-label=${label} @keydown=${move}>${all.map(tab)}</div>`;
}
