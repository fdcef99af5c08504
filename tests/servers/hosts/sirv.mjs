/**
 * sirv of npm. It does not list, and hides names that begin with a dot without `--dotfiles`. With
 * `--dev` it looks at the files for each request. Without it, it keeps their first sizes. With
 * `--single` it answers each missing file with a page.
 */
import { join } from "node:path";

const SIRV = {
  name: "sirv",
  note: "with `--dotfiles`, for version 2; has no names with `#` or `?`",
  words: [],
};
const SINGLE = {
  name: "sirv, for single-page applications",
  note: "as above; with `--single` each missing file is a page",
  words: ["--single"],
  page: "<!doctype html><title>An application</title>",
};

export const hosts = (tools) =>
  [SIRV, SINGLE].map(({ words, ...host }) => ({
    ...host,
    missing: tools.npm ? undefined : "npm cannot install it",
    version: [process.execPath, [join(tools.npm ?? "", "sirv-cli/bin.js"), "--version"]],
    lists: false,
    // It does not decode these characters of an address.
    refuses: "[#?]",
    start: ({ folder, port }) => ({
      program: process.execPath,
      args: [
        join(tools.npm, "sirv-cli/bin.js"),
        ...[folder, "--dev", "--dotfiles", "--quiet", "--host", "127.0.0.1", "--port", String(port)],
        ...words,
      ],
      env: { HOST: "127.0.0.1", PORT: String(port) }, // these variables go before its options
    }),
  }));
