/**
 * Serves the built site for tests: in a folder of the host, under the strictest policy for scripts
 * that it promises to work with.
 */
import { join } from "node:path";
import { serve } from "../../scripts/serve.mjs";
import { ROOT } from "../browser/places.mjs";

/** Neither at the root of the host, nor with a name that the site could know. */
export const FOLDER = "/some/folder/";
const POLICY = "script-src 'self' 'wasm-unsafe-eval'";

/** Resolves to `{url, close}`. `url` is that of the home page. `answer` may answer requests itself. */
export async function serveSite(answer = () => false) {
  const intercept = (request, response) => {
    response.setHeader("Content-Security-Policy", POLICY);
    return request.url.startsWith(FOLDER) && answer(request, response);
  };
  const data = [`${FOLDER}samples/`, `${FOLDER}view/samples/`];
  const server = await serve({ [FOLDER]: join(ROOT, "dist-site") }, { data, intercept });
  return { url: server.url + FOLDER, close: server.close };
}
