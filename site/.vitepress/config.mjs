/**
 * The site of the documentation, for VitePress. `site/build.mjs` gathers the pages and builds it.
 * All addresses in it are relative, or are made of `siteBase`, which `public/head.js` finds: so the
 * site works in any folder of any host.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { relativeAddresses } from "../markdown/addresses.mjs";
import { anchorOf } from "../markdown/anchors.mjs";
import { linksToSources } from "../markdown/links.mjs";
import { linksToReference } from "../markdown/reference_links.mjs";
import { blocksThatRun } from "../markdown/run_blocks.mjs";
import { sidebar } from "../sidebar.mjs";

const ROOT = join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const REPOSITORY = "https://github.com/zarr-wasm/zarr-wasm";

/** VitePress renders on the server as if the site were at the root of its host. */
globalThis.siteBase = "/";

export default defineConfig({
  title: "zarr-wasm",
  description: "Zarr for browsers: give it a URL, ask for a part of an array, get a typed array.",
  lang: "en-GB",
  srcDir: join(ROOT, "target/site/pages"),
  outDir: join(ROOT, "dist-site"),
  cacheDir: join(ROOT, "target/site/cache"),
  metaChunk: true,
  // Pages would fetch all that their side bars name.
  router: { prefetchLinks: false },
  ignoreDeadLinks: Boolean(process.env.SITE_TRIAL),
  head: [
    ["link", { rel: "icon", href: "data:," }],
    ["script", { src: "/head.js" }],
    ["meta", { name: "theme-color", content: "#0e7c86" }],
  ],
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      md.use(blocksThatRun).use(linksToSources).use(linksToReference);
    },
  },
  transformHtml: relativeAddresses,
  vite: {
    define: {
      "import.meta.env.BASE_URL": "globalThis.siteBase",
      __VERSION__: JSON.stringify(version),
    },
    experimental: { renderBuiltUrl: () => ({ relative: true }) },
    build: { chunkSizeWarningLimit: 1000 },
    logLevel: "warn",
  },
  themeConfig: {
    siteTitle: "zarr-wasm",
    nav: [
      { text: "Tutorial", link: "/tutorial/", activeMatch: "^/tutorial/" },
      { text: "Guide", link: "/guide" },
      { text: "Recipes", link: "/recipes/", activeMatch: "^/recipes/" },
      { text: "Reference", link: "/reference/", activeMatch: "^/reference/" },
      { text: "Gallery", link: "/gallery" },
      { text: "Viewer", link: "/view/", target: "_self" },
      { component: "VersionMenu" },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: "local", options: { detailedView: false } },
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    externalLinkIcon: true,
    footer: { message: "MIT or Apache-2.0, at your option." },
  },
});
