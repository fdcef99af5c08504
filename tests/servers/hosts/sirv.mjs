/**
 * sirv of npm. It does not list, and hides names that begin with a dot without `--dotfiles`. With
 * `--dev` it looks at the files for each request. Without it, it keeps their first sizes.
 */
import { join } from "node:path";

export const hosts = (tools) => [
  {
    name: "sirv",
    missing: tools.npm ? undefined : "npm cannot install it",
    version: [process.execPath, [join(tools.npm ?? "", "sirv-cli/bin.js"), "--version"]],
    lists: false,
    // It does not decode these characters of an address.
    note: "with `--dotfiles`, for version 2; has no names with `#` or `?`",
    refuses: "[#?]",
    start: ({ folder, port }) => ({
      program: process.execPath,
      args: [
        join(tools.npm, "sirv-cli/bin.js"),
        ...[folder, "--dev", "--dotfiles", "--quiet", "--host", "127.0.0.1", "--port", String(port)],
      ],
    }),
  },
];
