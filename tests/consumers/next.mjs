/** Next.js: a client component, built by Turbopack and by webpack. No configuration. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pageUrl } from "./bundled_page.mjs";
import { expectPage, IN_BLOBS } from "./page.mjs";
import { readModule } from "./reading.mjs";

const FILES = {
  "app/read.js": readModule(),
  "app/layout.js": `export const metadata = { title: "zarr-wasm", icons: "data:," };
export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
`,
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
  "next.config.mjs": `export default { turbopack: { root: import.meta.dirname } };\n`,
};

async function check(project, bundler) {
  rmSync(join(project.folder, ".next"), { recursive: true, force: true });
  await project.quietly(project.bin("next"), ["build", bundler]);
  await project.serving(
    project.bin("next"),
    ["start", "--hostname", "127.0.0.1", "--port", String(project.at.freePort())],
    { ready: /Local: +(http:\S+)[\s\S]*Ready/ },
    (url) => expectPage(pageUrl(url, "/", project.at.data), IN_BLOBS),
  );
}

export const next = (version, react) => ({
  name: `Next.js ${version}`,
  folder: `next-${version}`,
  packages: { next: version, react, "react-dom": react },
  files: FILES,
  checks: {
    Turbopack: (project) => check(project, "--turbopack"),
    webpack: (project) => check(project, "--webpack"),
  },
});
