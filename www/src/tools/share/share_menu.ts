/**
 * The menu for handing over what is on the screen: its address, code, a picture and a film. What an
 * entry needs is loaded when it is chosen.
 */

import { html, render, type TemplateResult } from "lit-html";
import { slidAxes } from "../../model/scene/scene_state.js";
import { DropMenu } from "../../widgets/page/drop_menu.js";
import { byId, type IconName } from "../../widgets/page/element.js";
import type { ViewSnapshot } from "../../widgets/views/view_snapshot.js";
import { copyText } from "./copy_text.js";
import { otherViewers } from "./other_viewers.js";

export interface Shared {
  /** Null if there is no picture. */
  snapshot(): ViewSnapshot | null;
  /** Updates the page's URL. */
  settle(): void;
  note(text: string): void;
  fail(error: unknown): void;
}

export class ShareMenu {
  readonly #shared: Shared;
  readonly #menu = new DropMenu(byId("share-menu"), byId("share-switch"), () => this.#fill());

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  #fill(): void {
    const snapshot = this.#shared.snapshot();
    const link = this.#entry("link", "Copy link", "Opens this view, with all that is set", () =>
      this.#copyLink(),
    );
    const none = html`<p class="note">There is no picture to share.</p>`;
    render(html`${link}${snapshot ? this.#pictureEntries(snapshot) : none}`, this.#menu.menu);
  }

  #pictureEntries(snapshot: ViewSnapshot): TemplateResult[] {
    const code = this.#entry(
      "code",
      "Copy as code…",
      "Reads what is on the screen, in four libraries",
      async () => (await import("./code_dialog.js")).showCode(snapshot),
    );
    const picture = this.#entry(
      "picture",
      "Save picture…",
      "A PNG of any size, with legend, scale bar and marks",
      async () => (await import("./picture_dialog.js")).showPictureDialog(snapshot),
    );
    const film = this.#entry("play", "Save film…", "Plays along a dimension: MP4, WebM or GIF", async () =>
      (await import("./film_dialog.js")).showFilmDialog(snapshot),
    );
    const files = slidAxes(snapshot.state.scene).length > 0 ? [code, picture, film] : [code, picture];
    return [...files, ...otherViewers(snapshot).map((viewer) => this.#menu.link("leave", viewer))];
  }

  #entry(picture: IconName, name: string, about: string, work: () => Promise<void>): TemplateResult {
    const run = () => void work().catch((error: unknown) => this.#shared.fail(error));
    return this.#menu.entry(picture, name, about, run);
  }

  async #copyLink(): Promise<void> {
    this.#shared.settle();
    const isCopied = await copyText(location.href);
    this.#shared.note(
      isCopied ? "The link is copied." : "This page may not copy: copy the address of the browser.",
    );
  }
}
