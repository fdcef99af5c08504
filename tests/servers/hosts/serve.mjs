/** serve of npm, as it is without options: it also compresses, and shortens addresses of pages. */
import { join } from "node:path";

export const hosts = (tools) => [
  {
    name: "serve",
    missing: tools.npm ? undefined : "npm cannot install it",
    version: [process.execPath, [join(tools.npm ?? "", "serve/build/main.js"), "--version"]],
    lists: true,
    // Its pages do not encode names in addresses.
    note: "does not list names with `#`, `?` or `%`",
    hides: "[#?]|%41",
    start: ({ folder, port }) => ({
      program: process.execPath,
      args: [
        join(tools.npm, "serve/build/main.js"),
        ...["--listen", `tcp://127.0.0.1:${port}`, "--no-port-switching", "--no-request-logging", folder],
      ],
      env: { NO_UPDATE_CHECK: "1" },
    }),
  },
];
