/** Python's http.server, which has no ranges. */
import { pythonServing } from "../../browser/web_hosts.mjs";

export const hosts = (tools) => [
  {
    name: "Python's http.server",
    missing: tools.python ? undefined : "there is no python3",
    version: [tools.python, ["--version"]],
    lists: true,
    ranges: false,
    note: "every part costs the whole file",
    start: ({ folder, port }) => ({ program: tools.python, args: pythonServing(folder, port) }),
  },
];
