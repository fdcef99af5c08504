/** The list of a group's nodes, shown instead of a picture if the group is none. */

import type { NamedNode } from "../opening/metadata_names.js";
import { element } from "../page/element.js";
import { icon } from "../page/icons.js";
import { cutNote } from "../page/long_list.js";

/** Maximum number of listed nodes. The hierarchy has all of them. */
const MOST = 200;

export class Choices {
  onPath: (path: string) => void = () => {};
  readonly #place: HTMLElement;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  /** `nodes` is null if they cannot be listed. */
  show(nodes: readonly NamedNode[] | null): void {
    const buttons = (nodes ?? []).slice(0, MOST).map((node) => this.#button(node));
    const note = cutNote(nodes?.length ?? 0, MOST, "nodes");
    this.#place.replaceChildren(
      element("p", {}, words(nodes)),
      element("div", { class: "choice-list" }, ...buttons),
      ...(note ? [note] : []),
    );
  }

  #button({ path, kind, role }: NamedNode): HTMLElement {
    const name = path.split("/").at(-1) ?? path;
    return element(
      "button",
      { type: "button", class: "choice", title: path, onclick: () => this.onPath(path) },
      icon(role === "image" || kind === "array" ? "picture" : "folder"),
      element("span", {}, name),
      element("span", { class: "about" }, role ?? kind),
    );
  }
}

function words(nodes: readonly NamedNode[] | null): string {
  if (!nodes) return "This server does not list what is in a group. Type a path under Data to show it.";
  return nodes.length === 0 ? "This group is empty." : "This is a group. Choose what to show.";
}
