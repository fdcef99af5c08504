/** The page: opens an address and draws it. Panels around the picture are wired here. */

import * as zarr from "zarr-wasm";
import { Picture } from "./picture/picture.js";
import { buildScene } from "./scene/build_scene.js";
import type { ArrayNode, GroupNode, Scene } from "./scene/scene.js";

const FIRST = "./demo/cells.ome.zarr";

const byId = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

export class Viewer {
  readonly picture: Picture;
  scene: Scene | null = null;

  constructor() {
    this.picture = new Picture(byId("plane"));
    this.picture.onError = (error) => this.#say(error);
    this.picture.onPointer = (reading) => {
      byId("pointer").hidden = reading === null;
      byId("pointer").textContent = reading
        ? [...reading.coordinates, ...reading.values].map(({ name, text }) => `${name} ${text}`).join("  ")
        : "";
    };
    this.picture.onProgress = ({ wanted, done }) =>
      byId("plane").setAttribute("aria-busy", String(done < wanted));
    byId("address-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.open((byId("address") as HTMLInputElement).value);
    });
  }

  async open(source = FIRST, path = "", variable?: string): Promise<void> {
    try {
      const url = new URL(source, document.baseURI);
      const store = await zarr.withMaybeConsolidatedMetadata(new zarr.FetchStore(url.href));
      const node = (await zarr.open(store, { path })) as ArrayNode | GroupNode;
      this.scene = await buildScene(node, { variable });
      document.title = this.scene.title;
      byId("plane").hidden = false;
      this.picture.show(this.scene);
    } catch (error) {
      this.#say(error);
    }
  }

  #say(error: unknown): void {
    console.error(error);
    byId("message").hidden = false;
    byId("message").textContent = error instanceof Error ? error.message : String(error);
  }
}
