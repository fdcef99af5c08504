/**
 * The server of the campaign: that of `server.mjs` with the faults of `answers.mjs` and the arrays
 * of `arrays.mjs`. The query tells which requests of a case fail: `only=2` or `from=2`.
 */
import { sendFile } from "../../node/scripted_server.mjs";
import { CORS, FAULT_CLASSES } from "./answers.mjs";
import { allFiles } from "./arrays.mjs";
import { faultServer } from "./server.mjs";

/** A fault for the requests that the query names. */
function chosen(fault, counts) {
  return (exchange) => {
    const { search, request, response, bytes } = exchange;
    if (request.method === "OPTIONS") {
      const allowed = { "Access-Control-Allow-Headers": "*", "Access-Control-Allow-Methods": "*" };
      return response.writeHead(204, { ...CORS, ...allowed }).end();
    }
    const count = (counts.get(search.get("case")) ?? 0) + 1;
    counts.set(search.get("case"), count);
    const only = Number(search.get("only") ?? Number.NaN);
    const from = Number(search.get("from") ?? Number.NaN);
    if (count === only || count >= from) return fault(exchange);
    // The persistent cache must keep what it is to find damaged later.
    const isKept = search.get("case")?.startsWith("damaged-");
    const headers = isKept ? { ...CORS, "Cache-Control": "no-cache" } : CORS;
    return bytes ? sendFile(request, response, bytes, headers) : response.writeHead(404, CORS).end();
  };
}

/** The names of the faults by class, which browsers can be told. */
export const classes = () =>
  Object.fromEntries(
    Object.entries(FAULT_CLASSES).map(([kind, { faults, ...rest }]) => [
      kind,
      { ...rest, faults: Object.keys(faults) },
    ]),
  );

/** Starts the server. */
export async function campaignServer() {
  const server = await faultServer(allFiles());
  const counts = new Map();
  for (const { faults } of Object.values(FAULT_CLASSES)) {
    for (const [name, fault] of Object.entries(faults)) server.faults[name] = chosen(fault, counts);
  }
  server.faults.page = ({ response }) =>
    response
      .writeHead(200, { ...CORS, "Content-Type": "text/html" })
      .end("<!doctype html><title>Sign in</title>");
  return server;
}
