/**
 * The running picture of the home page: `<zarr-view>` of the package, loaded when it is needed. Its
 * workers start from a file of the site, because strict policies allow no other.
 */
import { siteUrl } from "./base.ts";

export interface ShownView {
  open(address: string): void;
  /** What is shown, by the attributes of the element. */
  state(): Record<string, string>;
  end(): void;
}

interface ZarrView extends HTMLElement {
  state?: Record<string, string>;
}

interface Package {
  init(options: object): Promise<void>;
}

/** Puts the picture into an element, in the place of what is there. */
export async function startPicture(parent: HTMLElement, tell: (message: string) => void): Promise<ShownView> {
  const zarr = (await import(/* @vite-ignore */ siteUrl("run/modules/zarr-wasm.js"))) as Package;
  zarr.init({ light: true, workerUrl: siteUrl("run/modules/worker.js") });
  await import(/* @vite-ignore */ siteUrl("run/modules/zarr-wasm/view.js"));
  const view: ZarrView = document.createElement("zarr-view");
  view.addEventListener("zarr-load", () => tell(""));
  view.addEventListener("zarr-error", (event) => tell(String((event as CustomEvent<Error>).detail.message)));
  return {
    open(address) {
      for (const name of view.getAttributeNames()) view.removeAttribute(name);
      view.setAttribute("src", address);
      if (!view.isConnected) parent.append(view);
    },
    state: () => ({ src: view.getAttribute("src") ?? "", ...view.state }),
    end: () => view.remove(),
  };
}
