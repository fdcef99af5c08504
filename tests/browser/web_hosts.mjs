/** Starts web servers of other projects for tests. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VIEWER } from "./places.mjs";

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

const isThere = (url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Starts a server with a temporary folder. Resolves to `{url, close}` when it answers at `path`.
 * `argumentsOf(port, home)` returns the arguments of the program.
 */
export async function startHost(program, argumentsOf, path = "/") {
  const home = mkdtempSync(join(tmpdir(), "zarr-wasm-host-"));
  const port = await freePort();
  const child = spawn(program, argumentsOf(port, home), { stdio: "ignore" });
  child.on("error", () => {}); // the missing answer is reported
  const close = () => {
    child.kill();
    rmSync(home, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries += 1) {
    if (await isThere(`${url}${path}`)) return { url, close };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  close();
  throw new Error(`${program} does not serve ${url}${path}`);
}

/** The arguments of Python's server, which lists folders and ignores ranges. */
export const pythonServing = (folder, port) => {
  const place = ["--bind", "127.0.0.1", "--directory", folder];
  return ["-m", "http.server", String(port), ...place];
};

/** Python's server with the viewer in `/viewer/`, and folders under names. */
export function startPython(folders) {
  return startHost("python3", (port, home) => {
    for (const [name, folder] of Object.entries({ viewer: VIEWER, ...folders }))
      symlinkSync(folder, join(home, name));
    return pythonServing(home, port);
  });
}
