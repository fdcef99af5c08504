/**
 * Where requests lead, with servers that record what arrives: a document of references reaches its
 * own server and those of `allowHosts`, whatever its addresses look like, and https stays https.
 * Each table has what is refused beside what is allowed.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { HTTPRangeReader } from "zarr-wasm/zip";
import { disguises, spellings } from "../support/disguised_hosts.mjs";
import { recordingServer } from "./recording_servers.mjs";

process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";

const bytesOf = (text) => new TextEncoder().encode(text);
const textOf = (bytes) => bytes && new TextDecoder().decode(bytes);
const FILES = new Map([
  ["/data", bytesOf("0123456789")],
  ["/a/data", bytesOf("0123456789")],
  ["/a/it's", bytesOf("0123456789")],
  ["/a/x%20y", bytesOf("0123456789")],
]);

/** The server of the document; one at another address; one at another port; one over https. */
let [own, evil, near, secure] = [];
const servers = () => [own, evil, near, secure];

before(async () => {
  own = await recordingServer({ files: new Map(FILES) });
  evil = await recordingServer({ address: "127.0.0.2", files: new Map(FILES) });
  near = await recordingServer({ files: new Map(FILES) });
  secure = await recordingServer({ files: new Map(FILES), isSecure: true });
});
after(() => Promise.all(servers().map((server) => server.close())));
beforeEach(() => {
  for (const server of servers()) {
    server.requests.length = 0;
    server.redirects.clear();
    server.status = 302;
  }
});

const TOKEN = { Authorization: "Bearer secret", "X-Token": "secret" };
/** A `fetch` that signs whatever it is given. */
const signing = (request) => {
  const headers = new Headers(request.headers);
  for (const [name, value] of Object.entries(TOKEN)) headers.set(name, value);
  return fetch(new Request(request, { headers }));
};
const SENDERS = {
  "without options": {},
  "a signing fetch": { fetch: signing },
  headers: { headers: TOKEN },
  "headers and a fetch": { headers: TOKEN, fetch: (request) => fetch(request) },
};

/** The store of a document with one reference, at a server. */
function referring(server, reference, options = {}) {
  server.files.set(
    "/a/refs.json",
    bytesOf(JSON.stringify({ ".zgroup": '{"zarr_format":2}', x: [reference] })),
  );
  return zarr.ReferenceStore.fromUrl(`${server.url}/a/refs.json`, options);
}

/** Reads the reference. Resolves to its text, or to the code and message of its error. */
async function reading(server, reference, options) {
  const store = await referring(server, reference, options);
  return store.get("/x").then(textOf, (error) => {
    assert.ok(error instanceof zarr.ZarrError, `${JSON.stringify(reference)}: ${error?.stack}`);
    for (const text of [error.message, error.actual, error.expected, String(error.cause)])
      assert.ok(!String(text).includes("s3cret"), `${JSON.stringify(reference)}: ${text}`);
    return error;
  });
}

for (const [name, options] of Object.entries(SENDERS)) {
  test(`${name}: no spelling of another server is asked`, async () => {
    for (const reference of [...disguises(evil.host, own.host), ...spellings(evil.port)]) {
      const read = await reading(own, reference, options);
      const what = `${JSON.stringify(reference)}: ${read}`;
      assert.deepEqual([evil.requests, near.requests], [[], []], what);
      // It is refused, or a name on the document's server, where there is nothing.
      if (read !== undefined)
        assert.ok(["Argument", "Format", "Store", "Unsupported"].includes(read.code), what);
    }
  });
}

test("another port is another server, and so is another name of the same machine", async () => {
  for (const reference of [
    `${near.url}/data`,
    `//${near.host}/data`,
    `http://${own.host}@${near.host}/data`,
    `http://localhost:${near.port}/data`,
    `http://localhost:${own.port}/data`,
    "http://127.0.0.1/data",
    `https://${own.host}:443/data`,
  ]) {
    const { code } = await reading(own, reference, {});
    assert.ok(["Argument", "Store"].includes(code), `${reference}: ${code}`);
  }
  assert.deepEqual(near.requests, []);
});

test("what is not refused: names on the document's server, in all spellings of the server", async () => {
  for (const reference of [
    "data",
    "./data",
    "/data",
    "../data",
    "../../data?x=http://evil.example/@",
    "../a/./it's",
    "/a//../data",
    "/%2e%2e/data",
    "x%20y",
    "?x=1",
    "data#http://evil.example",
    `//${own.host}/data`,
    `${own.url}/data`,
    ` ${own.url}/data\n`,
    `HTTP://${own.host}/data`,
    `http://0x7f.1:${own.port}/data`,
    `http://2130706433:${own.port}/data`,
    `http://127.1:0${own.port}/data`,
    `http://127.0.0.1.:${own.port}/data`,
    `http://%3127.0.0.1:${own.port}/data`,
    `http://\uff11\uff12\uff17.0.0.1:${own.port}/data`,
  ]) {
    const read = await reading(own, reference, {});
    const expected = reference.startsWith("?") ? textOf(own.files.get("/a/refs.json")) : "0123456789";
    assert.equal(read, expected, reference);
  }
});

test("allowHosts names servers in all spellings of the platform", async () => {
  const { host, port, url } = evil;
  for (const entry of [
    host,
    ` ${host} `,
    url,
    `${url}/some/folder?query`,
    `https://${host}`,
    `2130706434:${port}`,
    `127.2:${port}`,
    `\uff11\uff12\uff17.0.0.2:${port}`,
    `someone@${host}`,
    "*",
  ]) {
    for (const reference of [`${url}/data`, `http://127.2:${port}/data`, `//0x7f.2:${port}/data`])
      assert.equal(
        await reading(own, reference, { allowHosts: ["other.example", entry] }),
        "0123456789",
        entry,
      );
  }
  for (const entry of ["127.0.0.2", `127.0.0.2:${port}0`.slice(0, 14), own.host, `*.0.0.x:${port}`]) {
    const read = await reading(own, `${url}/data`, { allowHosts: [entry] });
    assert.equal(read.code, "Argument", entry);
    assert.match(read.message, new RegExp(`allowHosts: \\["${host}"\\]`));
  }
});

test("IPv6", async (context) => {
  const six = await recordingServer({ address: "::1", files: new Map(FILES) }).catch(() => undefined);
  if (!six) return context.skip("there is no IPv6 here");
  try {
    for (const entry of [six.host, `[0:0::1]:${six.port}`, six.url])
      assert.equal(await reading(own, `${six.url}/data`, { allowHosts: [entry] }), "0123456789", entry);
    assert.equal(await reading(six, "data", {}), "0123456789");
    six.requests.length = 0;
    for (const entry of ["[::1]", `[::2]:${six.port}`, `127.0.0.1:${six.port}`])
      assert.equal((await reading(own, `${six.url}/data`, { allowHosts: [entry] })).code, "Argument", entry);
    assert.deepEqual(six.requests, []);
  } finally {
    await six.close();
  }
});

/** Which addresses a list of hosts allows. A `fetch` plays servers of names that none has here. */
const NAMES = [
  {
    allowHosts: ["data.example"],
    reads: [
      "https://data.example/x",
      "https://DATA.Example:443/x",
      "http://data.example:80/x",
      "https://user%40x@data.example/x",
      "https://d%61ta.example/x",
      "https://data\u3002example/x",
      "https://da\u00adta.example/x",
    ],
    refuses: [
      "https://data.example:444/x",
      "http://data.example:443/x",
      "https://data.example:80/x",
      "https://data.example./x",
      "https://data.example.evil.example/x",
      "https://evil-data.example/x",
      "https://a.data.example/x",
      "https://data.example@evil.example/x",
      "https://evil.example\\@data.example/x",
      "https://evil.example\\.data.example/x",
    ],
  },
  {
    allowHosts: ["*.data.example"],
    reads: [
      "https://a.data.example/x",
      "https://a.b.data.example/x",
      "https://A.DATA.EXAMPLE/x",
      "http://a.data.example/x",
      "https://a.data%2eexample/x",
    ],
    refuses: [
      "https://data.example/x",
      "https://badata.example/x",
      "https://xdata.example/x",
      "https://a.data.example:444/x",
      "https://a.data.example.evil.example/x",
      "https://a.data.example./x",
      "https://evil.example\\.data.example/x",
      "https://evil.example\\@a.data.example/x",
      "https://evil.example?.data.example/x",
      "https://evil.example#.data.example/x",
      "https://evil.example/.data.example/x",
      "https://evil.example:80@a.data.example\\x",
      "https://evil.example%2f.data.example/x",
      "https://evil.example\uff0f.data.example/x",
    ],
  },
  {
    allowHosts: ["*.data.example:8443", "localhost:80", "plain.example:443"],
    reads: [
      "https://a.data.example:8443/x",
      "http://a.data.example:8443/x",
      "http://localhost/x",
      "https://localhost:80/x",
      "https://plain.example/x",
    ],
    refuses: [
      "https://a.data.example/x",
      "https://localhost/x",
      "http://localhost:443/x",
      "http://plain.example/x",
    ],
  },
  {
    allowHosts: ["m\u00fcnchen.example", "*.M\u00dcNCHEN.example"],
    reads: [
      "https://m\u00fcnchen.example/x",
      "https://xn--mnchen-3ya.example/x",
      "https://M\u00dcNCHEN.example/x",
      "https://m%C3%BCnchen.example/x",
      "https://a.m\u00fcnchen.example/x",
    ],
    refuses: ["https://munchen.example/x", "https://m\u00fcnchen.evil.example/x"],
  },
  {
    allowHosts: ["s3://bucket", "S3://my.bucket/folder"],
    reads: ["s3://bucket/x", "https://bucket.s3.amazonaws.com/x", "https://s3.amazonaws.com/any/x"],
    refuses: [
      "s3://other/x",
      "gs://bucket/x",
      "s3://evil\\@bucket/x",
      "s3://bucket\\.evil/x",
      "https://bucket.s3.amazonaws.com.evil.example/x",
    ],
  },
  {
    allowHosts: ["gs://bucket", "[2001:db8::1]", "[2001:db8::2]:81"],
    reads: ["gs://bucket/x", "https://[2001:db8:0::1]/x", "http://[2001:db8::2]:81/x"],
    refuses: ["https://[2001:db8::1]:81/x", "https://[2001:db8::2]/x", "https://[2001:db8::3]/x"],
  },
];

test("hosts by name: with and without port, below a domain, international, of buckets", async () => {
  const asked = [];
  const play = async (request) => {
    asked.push(request.url);
    // A URL with a user cannot be requested, so it does not come here.
    return new Response("0123456789");
  };
  for (const { allowHosts, reads, refuses } of NAMES) {
    const read = (url) => zarr.ReferenceStore.fromSpec({ x: [url] }, { allowHosts, fetch: play }).get("/x");
    for (const url of reads.filter((each) => !each.includes("@")))
      assert.equal(textOf(await read(url)), "0123456789", url);
    const before = asked.length;
    for (const url of refuses)
      await assert.rejects(read(url), (error) => ["Argument", "Format", "Store"].includes(error.code), url);
    assert.equal(asked.length, before, asked.slice(before).join());
  }
});

test("what is not a host in allowHosts is an Argument error that names it", () => {
  for (const entry of [
    "",
    " ",
    "*.",
    "a b",
    "::1",
    "[::1",
    "*.x/y",
    "*.a@b",
    "*.[::1]",
    "a*b",
    "https://",
    5,
    null,
  ]) {
    assert.throws(
      () => zarr.ReferenceStore.fromSpec({}, { allowHosts: [entry] }),
      (error) => error.code === "Argument" && error.field === "allowHosts",
      JSON.stringify(entry),
    );
  }
  assert.throws(() => zarr.ReferenceStore.fromSpec({}, { allowHosts: "a.example" }), { code: "Argument" });
});

for (const [name, options] of Object.entries(SENDERS)) {
  test(`${name}: a redirect leads to allowed servers alone`, async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      for (const place of [
        `${evil.url}/data`,
        `//${evil.host}/data`,
        `http:\\\\${evil.host}\\data`,
        `http://${evil.host}\\@${own.host}/data`,
        `http://127.2:${evil.port}/data`,
      ]) {
        own.status = status;
        own.redirects.set("/a/away", place);
        own.redirects.set("/a/twice", "/a/away");
        for (const reference of ["away", "twice"]) {
          const { code, message } = await reading(own, reference, options);
          assert.equal(code, "Argument", `${place}: ${message}`);
          assert.match(
            message,
            /a redirect leads to a server that is not allowed.*allowHosts: \["127\.0\.0\.2:/,
          );
        }
      }
    }
    assert.deepEqual(evil.requests, []);
    // Allowed, it is followed, without the user's headers.
    for (const reference of ["away", "twice"])
      assert.equal(await reading(own, reference, { ...options, allowHosts: [evil.host] }), "0123456789");
    assert.ok(evil.requests.length >= 2);
    assert.ok(
      evil.requests.every(({ seen }) => !seen.includes("authorization")),
      name,
    );
    // The document itself, too.
    own.redirects.set("/b", `${evil.url}/a`);
    evil.files.set("/a/refs.json", bytesOf(JSON.stringify({ x: "inline" })));
    const document = (more) => zarr.ReferenceStore.fromUrl(`${own.url}/b/refs.json`, { ...options, ...more });
    await assert.rejects(document({}), { code: "Argument" });
    assert.equal(textOf(await (await document({ allowHosts: [evil.host] })).get("/x")), "inline");
  });
}

test("a fetch that follows redirects by itself: the answer of another server is refused", async () => {
  own.redirects.set("/a/away", `${evil.url}/data`);
  const follow = (request) => fetch(request.url, { headers: request.headers });
  const { code } = await reading(own, "away", { fetch: follow });
  assert.equal(code, "Argument");
  assert.equal(await reading(own, "away", { fetch: follow, allowHosts: ["*"] }), "0123456789");
});

test("a document that came by https leads to https alone", async () => {
  for (const [name, options] of Object.entries(SENDERS)) {
    for (const allowHosts of [undefined, ["*"], [own.host, `http://${own.host}`], [secure.host]]) {
      for (const reference of [
        `${own.url}/data`,
        `HTTP://${own.host}/data`,
        `http://${own.host}\\@${secure.host}/data`,
        `http://localhost:${own.port}/data`,
        `http://${secure.host}/data`,
        ` http://${own.host}/data`,
      ]) {
        const read = await reading(secure, reference, { ...options, allowHosts });
        assert.ok(
          ["Unsupported", "Format", "Argument"].includes(read?.code),
          `${name}, ${reference}: ${read}`,
        );
        if (!reference.includes("\\")) assert.match(read.message, /from https to http/);
      }
    }
    assert.deepEqual(own.requests, [], name);
    for (const reference of ["data", "/data", `//${secure.host}/data`, `${secure.url}/data`])
      assert.equal(await reading(secure, reference, options), "0123456789", reference);
  }
});

test("a document that came by http may name https, and a target that the user names so is read", async () => {
  assert.equal(await reading(own, `${secure.url}/data`, { allowHosts: [secure.host] }), "0123456789");
  const spec = { x: [`${own.url}/data`], y: [null, 0, 2] };
  secure.files.set("/refs.json", bytesOf(JSON.stringify(spec)));
  const store = await zarr.ReferenceStore.fromUrl(`${secure.url}/refs.json`, { target: `${own.url}/data` });
  assert.equal(textOf(await store.get("/y")), "01");
  const padded = { ...spec, x: [` ${own.url}/data\n`] };
  for (const each of [spec, padded])
    assert.equal(textOf(await zarr.ReferenceStore.fromSpec(each).get("/x")), "0123456789");
});

const GROUP = '{"zarr_format":3,"node_type":"group"}';

for (const [name, options] of Object.entries(SENDERS)) {
  test(`${name}: a redirect from https to http is refused before http is asked`, async () => {
    own.files.set("/zarr.json", bytesOf(GROUP));
    secure.files.set("/zarr.json", bytesOf(GROUP));
    for (const status of [301, 302, 307, 308]) {
      secure.status = status;
      for (const place of [own.url, `http://${secure.host}`, `http:\\\\${own.host}`]) {
        secure.redirects.set("/away", place);
        secure.redirects.set("/twice", "/away");
        for (const folder of ["away", "twice"]) {
          const opening = zarr.open(new zarr.FetchStore(`${secure.url}/${folder}`, options));
          await assert.rejects(opening, { code: "Store", message: /from https to http/ });
          const reference = `/${folder}/data`;
          const { code, message } = await reading(secure, reference, { ...options, allowHosts: ["*"] });
          assert.deepEqual([code, /from https to http/.test(message)], ["Store", true], message);
        }
      }
      const store = new zarr.FetchStore(`${secure.url}/away`, options);
      await assert.rejects(store.set("/x", bytesOf("secret")), { code: "Store" });
    }
    assert.deepEqual(own.requests, []);
    // From http to https, and within https.
    own.redirects.set("/up", secure.url);
    secure.redirects.set("/near", "");
    secure.status = 302;
    for (const url of [`${own.url}/up`, `${secure.url}/near`])
      assert.equal((await zarr.open(new zarr.FetchStore(url, options))).kind, "group", url);
  });
}

test("a write that is redirected is a Store error, and no other server hears of it", async () => {
  own.redirects.set("/away", evil.url);
  for (const status of [301, 302, 303, 307, 308]) {
    own.status = status;
    for (const options of Object.values(SENDERS)) {
      const store = new zarr.FetchStore(`${own.url}/away`, options);
      await assert.rejects(store.set("/x", bytesOf("secret")), {
        code: "Store",
        message: /redirects a write/,
      });
      await assert.rejects(store.delete("/x"), { code: "Store", message: /redirects a write/ });
    }
  }
  assert.deepEqual(evil.requests, []);
});

test("HTTPRangeReader refuses what a redirect from https to http brings", async () => {
  secure.redirects.set("/away", own.url);
  const reader = new HTTPRangeReader(`${secure.url}/away/data`);
  await assert.rejects(reader.read(0, 2), { code: "Store", message: /redirect to http/ });
  await assert.rejects(reader.getLength(), { code: "Store", message: /redirect to http/ });
  const straight = new HTTPRangeReader(new URL(`${secure.url}/data`));
  assert.equal(textOf(await straight.read(0, 2)), "01");
});

test("listings and the links of consolidated metadata stay at their server", async () => {
  const links = [...disguises(evil.host, own.host), ...spellings(evil.port)].map(
    (link) => `<a href="${link}/">x</a>`,
  );
  const page = `<title>Index of /</title><a href="../">up</a><a href="b/">b</a>${links.join("\n")}`;
  own.files.set("/", bytesOf(page));
  const listed = await new zarr.FetchStore(own.url).listDir("/");
  assert.ok(listed.prefixes.includes("/b/"), JSON.stringify(listed));
  const names = [...disguises(evil.host, own.host), ...spellings(evil.port)];
  const metadata = Object.fromEntries(names.map((name) => [`${name}/zarr.json`.trim(), JSON.parse(GROUP)]));
  const consolidated = { kind: "inline", must_understand: false, metadata };
  own.files.set(
    "/zarr.json",
    bytesOf(JSON.stringify({ ...JSON.parse(GROUP), consolidated_metadata: consolidated })),
  );
  const group = await zarr
    .open(own.url, { kind: "group" })
    .catch((error) => assert.ok(error.code, error.stack));
  for (const name of names)
    await zarr.open(own.url, { path: name }).catch((error) => assert.ok(error.code, error.stack));
  if (group) for (const name of names) await group.open?.(name)?.catch?.(() => {});
  assert.deepEqual([evil.requests, near.requests], [[], []]);
});

test("the same with the engine in a worker", async () => {
  zarr.dispose();
  await zarr.init({ engine: "worker" });
  try {
    own.redirects.set("/a/away", `${evil.url}/data`);
    for (const options of Object.values(SENDERS)) {
      for (const reference of ["away", `http://${evil.host}\\@${own.host}/data`, `${evil.url}/data`]) {
        const { code } = await reading(own, reference, options);
        assert.ok(["Argument", "Format"].includes(code), `${reference}: ${code}`);
      }
      assert.equal(await reading(own, "/data", options), "0123456789");
    }
    assert.deepEqual(evil.requests, []);
    const { code, message } = await reading(secure, `${own.url}/data`, { fetch: signing, allowHosts: ["*"] });
    assert.deepEqual([code, /from https to http/.test(message)], ["Unsupported", true]);
  } finally {
    zarr.dispose();
    await zarr.init({ engine: "caller" });
  }
});
