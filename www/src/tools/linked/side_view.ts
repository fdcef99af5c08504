/**
 * A view beside the first one: an element with a content view of its own, and a caption. It does
 * not know why it is shown.
 */

import { render } from "lit-html";
import type { ViewBox } from "../../map/view_box.js";
import { ContentView } from "../../widgets/views/content_view.js";
import type { PictureSnapshot } from "../../widgets/views/view_snapshot.js";
import type { LinkedElements } from "./linked_views.js";

export class SideView {
  readonly view: ContentView;
  readonly root = document.createElement("section");
  readonly #caption = document.createElement("header");
  readonly #first: HTMLElement;

  /** `className` tells what it is for; `name` is for those who do not see it. */
  constructor({ views, map }: LinkedElements, className: string, name: string) {
    this.#first = map;
    const inside = document.createElement("div");
    inside.className = "side-content";
    this.#caption.className = "caption";
    this.root.className = `side-view ${className}`;
    this.root.append(inside);
    this.view = new ContentView(inside);
    this.root.querySelector(".content-view")?.append(this.#caption); // it has the colours of the view
    this.name(name);
    views.append(this.root);
  }

  /** The element with the picture, which can have the focus. */
  get map(): HTMLElement {
    return this.root.querySelector(".map") as HTMLElement;
  }

  /** Names the picture. `keys` are what its keys do. */
  name(
    name: string,
    keys = "Arrow keys pan, plus and minus zoom, 0 shows all, Enter reads the middle.",
  ): void {
    this.root.setAttribute("aria-label", name);
    this.map.setAttribute("aria-label", `Picture of ${name}. ${keys}`);
  }

  caption(content: unknown): void {
    render(content, this.#caption);
  }

  /** The picture as it is. Null if there is none. */
  snapshot(): (Pick<PictureSnapshot, "state" | "size" | "corner"> & { box: ViewBox }) | null {
    const snapshot = this.view.sceneView.picture.snapshot();
    if (!snapshot) return null;
    const [own, first] = [this.map.getBoundingClientRect(), this.#first.getBoundingClientRect()];
    return { ...snapshot, corner: [own.left - first.left, own.top - first.top] };
  }

  /** Ends all reads, and gives the memory back. */
  close(): void {
    this.view.close();
    this.view.sceneView.picture.dispose();
    this.root.remove();
  }
}
