/**
 * STAC documents in which many assets share a large part, or are malformed: each part is read once,
 * not once for each asset. A proxy counts how often a part is looked at.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configuration } from "../../engine/ts/port/configuration.ts";
import { assetsOf } from "./assets.ts";

const ZARR = "application/vnd.zarr; version=3";

const item = (assets: object, rest: object = {}) => ({ stac_version: "1.1.0", id: "i", assets, ...rest });

/** An object of many members, each made of its number. */
const many = (count: number, member: (at: number) => unknown, prefix = "k"): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, member(at)]));

/** An object, and how often one of its members or the list of their names was asked for. */
function counted<T extends object>(target: T): { proxy: T; looks: { names: number; members: number } } {
  const looks = { names: 0, members: 0 };
  const proxy = new Proxy(target, {
    ownKeys(of) {
      looks.names += 1;
      return Reflect.ownKeys(of);
    },
    get(of, name) {
      looks.members += 1;
      return Reflect.get(of, name);
    },
    getOwnPropertyDescriptor(of, name) {
      looks.members += 1;
      return Reflect.getOwnPropertyDescriptor(of, name);
    },
  });
  return { proxy, looks };
}

test("an asset of many members is read once for all its alternatives", async () => {
  const alternate = many(30_000, () => ({ href: "https://h/a.zarr" }));
  const members = many(3000, () => "x", "zarr:");
  const asset = counted({ type: ZARR, href: "https://h/a.zarr", roles: ["data"], ...members, alternate });
  const assets = await assetsOf(item({ data: asset.proxy }));
  assert.equal(assets.length, 30_001);
  assert.deepEqual([assets[30_000]?.alternate, assets[30_000]?.roles], ["k29999", ["data"]]);
  assert.ok(asset.looks.names <= 4, `${asset.looks.names} lists of names`);
  assert.ok(asset.looks.members <= 20_000, `${asset.looks.members} members`);
});

test("lists of an asset are read once for all its alternatives", async () => {
  const roles = counted(Array.from({ length: 30_000 }, (_, at) => `r${at}`));
  const servers = counted(Array.from({ length: 30_000 }, () => ({ url_prefix: "s3://b/" })));
  const options = counted(many(30_000, () => "x"));
  const asset = {
    type: "application/vnd.zarr+icechunk",
    href: "s3://b/a.zarr",
    roles: roles.proxy,
    "icechunk:virtual_chunk_containers": servers.proxy,
    "xarray:storage_options": options.proxy,
    alternate: many(30_000, (at) => ({ href: `s3://b/${at}.zarr` })),
  };
  const assets = await assetsOf(item({ data: asset }));
  assert.equal(assets.length, 30_001);
  assert.equal(assets[7]?.hosts, assets[8]?.hosts);
  assert.ok(roles.looks.members <= 200_000, `${roles.looks.members} roles`);
  assert.ok(servers.looks.members <= 200_000, `${servers.looks.members} servers`);
  assert.ok(options.looks.members <= 400_000, `${options.looks.members} options`);
  assert.equal(options.looks.names, 0);
});

test("schemes of servers are looked up, never copied for an asset", async () => {
  const scheme = { type: "custom", platform: "https://{bucket}.s3.example" };
  const [own, inherited] = [many(20_000, () => scheme), many(20_000, () => scheme, "p")].map(counted);
  const assets = many(20_000, (at) => ({
    type: ZARR,
    href: "s3://b/a.zarr",
    "storage:refs": [at % 2 === 0 ? `k${at}` : `p${at}`],
  }));
  const found = await assetsOf(
    item(assets, {
      "storage:schemes": own?.proxy,
      properties: { "storage:schemes": inherited?.proxy },
    }),
  );
  assert.equal(found.length, 20_000);
  assert.deepEqual(new Set(found.map(({ url }) => url)), new Set(["https://b.s3.example/a.zarr"]));
  for (const each of [own, inherited]) {
    assert.equal(each?.looks.names, 0);
    assert.ok((each?.looks.members ?? Infinity) <= 100_000, `${each?.looks.members} schemes`);
  }
});

test("long texts that assets share do not become long addresses", async () => {
  const long = "a".repeat(2 ** 20);
  const scheme = { type: "custom", platform: `https://{bucket}.{region}.example/${"{region}".repeat(40)}` };
  const type = `${ZARR}; ${long}`;
  const options = { account_name: long, credential: long, endpoint_url: `https://${long}` };
  const assets = many(2000, (at) => ({
    type,
    href: `s3://b/${at}.zarr`,
    "storage:refs": ["s"],
    "xarray:storage_options": options,
  }));
  const rest = {
    "storage:schemes": { s: { ...scheme, region: long } },
    links: [{ rel: "self", href: `https://h/${long}/i.json` }],
  };
  const found = await assetsOf(item(assets, rest));
  assert.equal(found.length, 2000);
  assert.ok(found.every(({ url }) => url.length < 8192));
  await assert.rejects(assetsOf(item({ near: { type: ZARR, href: "a.zarr" } }, rest)), { code: "Format" });
});

test("many assets without an address are four warnings", async (t) => {
  const warnings: string[] = [];
  configuration.onWarning = (message) => warnings.push(message);
  t.after(() => delete configuration.onWarning);
  const assets = { good: { type: ZARR, href: "https://h/a.zarr" }, ...many(60_000, () => ({ type: ZARR })) };
  assert.equal((await assetsOf(item(assets))).length, 1);
  assert.equal(warnings.length, 4);
  assert.match(warnings[0] ?? "", /^assets\.k0\.href of "i" is left out: an asset has no address/);
  assert.match(warnings[3] ?? "", /^59997 more assets are left out/);
});

test("only addresses that are read are handed out", async () => {
  const hrefs = [
    "javascript:alert(1)",
    "JavaScript://h/%0aalert(1)//a.zarr",
    "\u0001javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:application/json,{}",
    "file:///etc/a.zarr",
    "file:a.zarr",
    "FILE://host/share/a.zarr",
    "blob:https://h/1",
    "ftp://h/a.zarr",
    "c:\\a.zarr",
    "mailto:a@b",
  ];
  for (const base of ["https://h/items/i.json", "file:///data/i.json"])
    for (const href of hrefs) {
      const assets = { bad: { type: ZARR, href }, alternate: { type: ZARR, href: "https://h/a.zarr" } };
      const bad = { ...assets.alternate, alternate: { other: { href } } };
      assert.equal((await assetsOf(item(assets), { base })).length, 1, href);
      assert.equal((await assetsOf(item({ bad }), { base })).length, 1, href);
      const links = [{ rel: "store", href }];
      assert.equal((await assetsOf(item(assets, { links }), { base })).length, 1, href);
      await assert.rejects(assetsOf(item({ bad: assets.bad }), { base }), {
        code: "Format",
        field: "assets.bad.href",
      });
    }
});

test("beside a document that is a file, relative addresses are files of the same machine", async () => {
  const base = "file:///data/items/i.json";
  const of = async (href: string) => (await assetsOf(item({ data: { type: ZARR, href } }), { base }))[0]?.url;
  assert.equal(await of("./a.zarr"), "file:///data/items/a.zarr");
  assert.equal(await of("../a.zarr"), "file:///data/a.zarr");
  assert.equal(await of("https://h/a.zarr"), "https://h/a.zarr");
  await assert.rejects(of("//host/share/a.zarr"), { code: "Format" });
});
