/**
 * Next.js: a client component, and the recipe's page with a server component, too, built by Turbopack
 * and by webpack. No configuration but that of the recipe.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { filesOf } from "../support/docs/snippets.mjs";
import { pageUrl } from "./bundled_page.mjs";
import { expectMonths, MONTHS } from "./months.mjs";
import { expectPage, IN_BLOBS } from "./page.mjs";
import { readModule } from "./reading.mjs";

/** What a new project has. */
const NEW = {
  "app/layout.js": `export const metadata = { title: "zarr-wasm", icons: "data:," };
export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
`,
  "next.config.mjs": `export default { turbopack: { root: import.meta.dirname } };\n`,
};

const FILES = {
  ...NEW,
  "app/read.js": readModule(),
  "app/page.js": `"use client";
import { useEffect } from "react";
import { read } from "./read";
export default function Page() {
  useEffect(() => {
    window.told ??= read(new URL(location.href).searchParams.get("data"));
  }, []);
  return <p>zarr-wasm</p>;
}
`,
};

async function check(project, bundler, expectAt) {
  rmSync(join(project.folder, ".next"), { recursive: true, force: true });
  await project.quietly(project.bin("next"), ["build", bundler]);
  await project.serving(
    project.bin("next"),
    ["start", "--hostname", "127.0.0.1", "--port", String(project.at.freePort())],
    { ready: /Local: +(http:\S+)[\s\S]*Ready/ },
    expectAt,
  );
}

/** The checks of a project with both bundlers. */
const withBoth = (expectIn) => ({
  Turbopack: (project) => check(project, "--turbopack", expectIn(project)),
  webpack: (project) => check(project, "--webpack", expectIn(project)),
});

export const next = (version, react) => ({
  name: `Next.js ${version}`,
  folder: `next-${version}`,
  packages: { next: version, react, "react-dom": react },
  files: FILES,
  checks: withBoth((project) => (url) => expectPage(pageUrl(url, "/", project.at.data), IN_BLOBS)),
});

/** Rejects unless the server's own text has the mean of the first month, and the page its maps. */
async function expectRecipe(url) {
  const html = await (await fetch(url)).text();
  const mean = MONTHS.means[0].toFixed(2);
  if (!html.includes(mean)) throw new Error(`the server does not say ${mean}: ${html.slice(0, 1000)}`);
  await expectMonths(url);
}

export const nextRecipe = (version, react) => ({
  name: `the recipe for Next.js ${version}`,
  folder: "recipe-next",
  packages: { next: version, react, "react-dom": react },
  files: ({ samples }) => ({ ...NEW, ...filesOf("docs/recipes/next.md", samples) }),
  checks: withBoth(() => expectRecipe),
});
