/**
 * Which rooms of TypeScript may import which: the one table of it. `npm run fmt` expands it to the
 * rules of `src/biome.json` and `www/src/biome.json`, and `npm run check` compares them. Between
 * crates of Rust cargo holds the order, within a crate `tests/rust/tidy.rs`.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { command, ROOT, StepFailed } from "./run_command.mjs";

/** The rooms of the library, from the lowest up, with those that each uses. All use `contract`. */
const LIBRARY = {
  contract: ["model"],
  "engine/ts/model": [],
  "engine/ts/elements": ["model"],
  "engine/ts/codec": ["model", "elements"],
  "engine/ts/files": ["model"],
  "engine/ts/port": ["model"],
  "engine/ts/host": ["model", "elements", "codec", "files", "port", "#glue"],
  "light/ts": ["model", "port", "host"],
  "api/store": ["model", "files", "port"],
  api: ["model", "elements", "codec", "port", "store"],
  "conventions/ts": ["model", "elements", "port", "api"],
  "reduction/ts": ["model", "elements", "port", "api", "conventions"],
  "package/stac": ["model", "port", "store", "api"],
  "package/compat": ["model", "elements", "port", "store", "api"],
  "package/adapter": ["model", "elements", "api", "conventions"],
  "package/entry": [
    ...["model", "elements", "files", "port", "host", "store", "api", "conventions", "reduction"],
    ...["stac", "compat", "adapter"],
  ],
};

/** The rooms of the viewer. A tool uses no other, and the element nothing of the page. */
const VIEWER = {
  "model/text": [],
  "model/scene": ["text"],
  "model/state": ["text", "scene"],
  "model/opening": ["text", "scene", "state"],
  map: ["model/*"],
  "widgets/page": ["model/*", "map"],
  "widgets/panels": ["model/*", "map", "page"],
  "widgets/views": ["model/*", "map", "page", "panels"],
  "tools/insight": ["model/*", "map", "widgets/*"],
  "tools/linked": ["model/*", "map", "widgets/*"],
  "tools/plots": ["model/*", "map", "widgets/*"],
  "tools/share": ["model/*", "map", "widgets/*"],
  app: ["model/*", "map", "widgets/*", "tools/*"],
  "app/embed": ["model/*", "map", "widgets/*", "tools/*"],
};

const TABLES = { src: LIBRARY, "www/src": VIEWER };

/** A room as imports name it: `engine/ts/port` is `port`, and `reduction/ts` is `reduction`. */
const nameOf = (room) => room.replace(/\/ts$/, "").split("/").at(-1);

/** Whether a room may use another. `model/*` names all rooms of a group. */
const uses = (used, other) =>
  other === "contract" || used.includes(nameOf(other)) || used.includes(`${other.split("/")[0]}/*`);

/** What is around a room within another, as `api/store` is within `api`. */
function outside(folder, room) {
  const outer = dirname(room);
  if (!(outer in TABLES[folder])) return [];
  const entries = readdirSync(join(ROOT, folder, outer), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && `${outer}/${entry.name}` !== room);
  return ["../*.ts", "../*.js", ...folders.map(({ name }) => `../${name}/**`)];
}

/** Globs of what a room may not import. */
function refused(folder, room, used) {
  const others = Object.keys(TABLES[folder]).filter((other) => other !== room && other !== dirname(room));
  const names = others.filter((other) => !uses(used, other)).map((other) => `**/${nameOf(other)}/**`);
  const glue = folder === "src" && !used.includes("#glue") ? ["#*glue"] : [];
  return [...names, ...glue, ...outside(folder, room)];
}

const rule = (group, message) => ({
  rules: {
    style: {
      noRestrictedImports: {
        level: "error",
        options: { patterns: [{ group, ...(message && { message }) }] },
      },
    },
  },
});

/** The configuration of Biome for a folder. A later override holds instead of an earlier one. */
function configuration(folder) {
  const rooms = Object.entries(TABLES[folder]).sort(
    ([one], [other]) => one.split("/").length - other.split("/").length,
  );
  const generated = ["biome.json", ...(folder === "src" ? ["contract/contract.ts"] : [])];
  return {
    root: false,
    extends: "//",
    files: { includes: ["**"] },
    linter: rule(["../**"], "This room has no row in scripts/layers.mjs."),
    overrides: [
      { includes: generated, assist: { enabled: false }, formatter: { enabled: false } },
      ...rooms.map(([room, used]) => ({
        includes: [`${room}/**`],
        linter: rule(refused(folder, room, used), `scripts/layers.mjs says what ${room} may use.`),
      })),
    ],
  };
}

await command(async (args) => {
  for (const folder of Object.keys(TABLES)) {
    const path = join(ROOT, folder, "biome.json");
    const text = `${JSON.stringify(configuration(folder), null, 2)}\n`;
    if (args.includes("--write")) writeFileSync(path, text);
    else if (readFileSync(path, "utf8") !== text)
      throw new StepFailed(`${folder}/biome.json is not what scripts/layers.mjs says: npm run fmt`);
  }
});
