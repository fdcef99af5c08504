/**
 * Objects in memory that a program appends to, behind a server with `ETag`s whose answers a cache
 * may keep for an hour. Its requests are recorded with the status of their answers.
 */

/** Answers GET and PUT below `prefix`, and tells and forgets the requests at `prefix`-requests. */
export function growingObjects(prefix) {
  const objects = new Map();
  const requests = [];
  let versions = 0;

  function put(request, response, name) {
    const parts = [];
    request.on("data", (bytes) => parts.push(bytes));
    request.on("end", () => {
      versions += 1;
      objects.set(name, { tag: `"${versions}"`, bytes: Buffer.concat(parts) });
      response.writeHead(201).end();
    });
  }

  function get(request, response, name) {
    const found = objects.get(name);
    const foundStatus = request.headers["if-none-match"] === found?.tag ? 304 : 200;
    const status = found ? foundStatus : 404;
    requests.push(`${name} ${status}`);
    const headers = { ETag: found?.tag, "Cache-Control": "max-age=3600" };
    if (status === 404) response.writeHead(404, { "Cache-Control": "no-store" }).end();
    else if (status === 304) response.writeHead(304, headers).end();
    else response.writeHead(200, { ...headers, "Content-Length": found.bytes.length }).end(found.bytes);
  }

  return (request, response) => {
    const { url, method } = request;
    if (url === `${prefix}-requests`) {
      response.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
      response.end(JSON.stringify(requests.splice(0)));
      return true;
    }
    if (!url.startsWith(`${prefix}/`)) return false;
    const name = url.slice(prefix.length + 1);
    if (method === "PUT") put(request, response, name);
    else get(request, response, name);
    return true;
  };
}

/** The metadata of an array of bytes with one dimension, in chunks of four. */
export const growingArray = (length) =>
  JSON.stringify({
    zarr_format: 3,
    node_type: "array",
    shape: [length],
    data_type: "uint8",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [4] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes" }],
  });
