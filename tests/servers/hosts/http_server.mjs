/** http-server of npm. It lets browsers keep answers for an hour. */
import { join } from "node:path";

export const hosts = (tools) => [
  {
    name: "http-server",
    missing: tools.npm ? undefined : "npm cannot install it",
    version: [process.execPath, [join(tools.npm ?? "", "http-server/bin/http-server"), "--version"]],
    lists: true,
    inBrowser: true,
    start: ({ folder, port }) => ({
      program: process.execPath,
      args: [
        join(tools.npm, "http-server/bin/http-server"),
        folder,
        "-a",
        "127.0.0.1",
        "-p",
        String(port),
        "-s",
      ],
    }),
  },
];
