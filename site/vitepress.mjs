/** Runs VitePress for the pages of the site. */
import { join } from "node:path";
import { build } from "vitepress";
import { ROOT } from "../scripts/run_command.mjs";

/** Scripts that VitePress writes into each page, which strict policies refuse: see `public/head.js`. */
const INLINE = new Set(["check-dark-mode", "check-mac-os"]);

export async function buildPages() {
  await build(join(ROOT, "site"), {
    onAfterConfigResolve({ site }) {
      site.head = site.head.filter(([, attributes]) => !INLINE.has(attributes?.id));
    },
  });
}
