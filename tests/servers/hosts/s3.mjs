/**
 * Servers that are compatible with S3: moto, and s3rver of npm. The files are put into a bucket.
 */
import { join } from "node:path";

export const hosts = (tools) => [
  {
    name: "moto (S3)",
    missing: tools.moto ? undefined : "pip cannot install it",
    version: [join(tools.moto ?? "", "../python"), ["-c", "import moto; print(moto.__version__)"]],
    lists: true,
    bucket: "data",
    inBrowser: true,
    start: ({ port }) => ({ program: tools.moto, args: ["-H", "127.0.0.1", "-p", String(port)] }),
  },
  {
    name: "s3rver (S3)",
    missing: tools.npm ? undefined : "npm cannot install it",
    version: [process.execPath, [join(tools.npm ?? "", "s3rver/bin/s3rver.js"), "--version"]],
    lists: true,
    bucket: "data",
    start: ({ home, port }) => ({
      program: process.execPath,
      args: [
        join(tools.npm, "s3rver/bin/s3rver.js"),
        ...[
          "--directory",
          join(home, "buckets"),
          "--address",
          "127.0.0.1",
          "--port",
          String(port),
          "--silent",
        ],
      ],
    }),
  },
];
