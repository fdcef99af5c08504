/**
 * Headers of the user and redirects, in browsers, which do not tell where a redirect leads.
 * `tests/node/redirects.test.mjs` has the tests in Node.
 */
import * as zarr from "zarr-wasm";
import { equal, test } from "./harness.mjs";

const SECRETS = { Authorization: "Bearer secret", "X-Token": "secret" };

for (const engine of ["worker", "caller"]) {
  for (const [form, options] of Object.entries({
    headers: { headers: SECRETS },
    "a function of headers": { headers: async () => SECRETS },
    overrides: { overrides: { headers: SECRETS } },
  })) {
    test(`redirects, engine in the ${engine}: ${form} stay at their server`, async () => {
      const warnings = [];
      zarr.dispose();
      await zarr.init({ engine, onWarning: (message) => warnings.push(message) });
      try {
        const away = await zarr.open(new zarr.FetchStore(`${location.origin}/echo/away`, options));
        equal(away.attrs.host, location.host.replace("127.0.0.1", "localhost"));
        equal([away.attrs.authorization, away.attrs.token], ["", ""]);
        equal(warnings.filter((message) => message.includes("redirects requests")).length, 1);
        const near = await zarr.open(new zarr.FetchStore(`${location.origin}/echo/near`, options));
        equal([near.attrs.authorization, near.attrs.token], ["Bearer secret", ""]);
        const direct = await zarr.open(new zarr.FetchStore(`${location.origin}/echo/seen`, options));
        equal([direct.attrs.authorization, direct.attrs.token], ["Bearer secret", "secret"]);
      } finally {
        zarr.dispose();
        await zarr.init({ engine: "worker", onWarning: undefined });
      }
    });
  }
}
