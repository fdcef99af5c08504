/** Options of stores over HTTP that need another one beside them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import { checkHttpOptions, type FetchStoreOptions, PersistentCache } from "./http_options.ts";

const fetch = async () => new Response();
const signal = new AbortController().signal;

test("requests of a user need a partition of the persistent cache", () => {
  const personal: FetchStoreOptions[] = [
    { headers: { authorization: "a" } },
    { headers: () => ({}) },
    { overrides: { headers: { authorization: "a" } } },
    { overrides: { credentials: "include" } },
    { credentials: "include" },
    { fetch },
  ];
  for (const options of personal) {
    for (const persistentCache of [true, {}, { name: "x" }, new PersistentCache()] as const) {
      assert.throws(
        () => checkHttpOptions({ ...options, persistentCache }),
        (error) => error instanceof ZarrError && error.field === "persistentCache.partition",
      );
    }
    checkHttpOptions({ ...options, persistentCache: { partition: "anna" } });
    checkHttpOptions({ ...options, persistentCache: new PersistentCache({ partition: "anna" }) });
    checkHttpOptions({ ...options, persistentCache: false });
    checkHttpOptions(options);
  }
});

test("requests of no user need none", () => {
  for (const options of [{}, { credentials: "omit" }, { overrides: { signal } }] as FetchStoreOptions[])
    checkHttpOptions({ ...options, persistentCache: true });
});

test("the name of a partition is a text that is not empty", () => {
  for (const partition of ["", "\ud800", 1, null, {}, Symbol("x")]) {
    assert.throws(
      () => new PersistentCache({ partition: partition as string }),
      (error) => error instanceof ZarrError && error.code === "Argument",
    );
  }
});
