/** The list of a group's nodes, shown instead of a picture if the group is none. */

import { html, render, type TemplateResult } from "lit-html";
import type { NamedNode } from "../../model/scene/ome.js";
import { lastPart } from "../../model/text/paths.js";
import { icon, shortened } from "../page/element.js";
import { cutNote } from "../page/long_list.js";

/** Maximum number of listed nodes. The hierarchy has all of them. */
const MAX_NODES = 200;

/**
 * Shows nodes, of which the user can select one. `nodes` is null if they cannot be listed; then
 * `advice` says what the user can do.
 */
export function showChoices(
  element: HTMLElement,
  nodes: readonly NamedNode[] | null,
  { select, advice }: { select: (path: string) => void; advice: string },
): void {
  const entry = ({ path, kind, role }: NamedNode): TemplateResult =>
    html`<button type="button" class="choice" title=${path} @click=${() => select(path)}>
      ${icon(role === "image" || kind === "array" ? "picture" : "folder")}
      <span>${shortened(lastPart(path))}</span>
      <span class="about">${role ?? kind}</span>
    </button>`;
  render(
    html`<p>${words(nodes, advice)}</p>
      <div class="choice-list">${nodes?.slice(0, MAX_NODES).map(entry)}</div>
      ${cutNote(nodes?.length ?? 0, MAX_NODES, "nodes")}`,
    element,
  );
}

function words(nodes: readonly NamedNode[] | null, advice: string): string {
  if (!nodes) return `This server does not list what is in a group. ${advice}`;
  return nodes.length === 0 ? "This group is empty." : "This is a group. Choose what to show.";
}
