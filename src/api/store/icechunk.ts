/**
 * `IcechunkStore`: one state of an Icechunk repository. The repository may be below a URL or in any
 * other store. Nothing is written to it.
 */

import { FileStore } from "../../engine/ts/files/folder_store.ts";
import { need, needText, object, type Rules } from "../../engine/ts/model/argument.ts";
import { worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import type { AsyncReadable } from "../../engine/ts/model/types.ts";
import { absoluteUrl } from "../../engine/ts/port/configuration.ts";
import type { ObjectIds, StoreDefinition } from "../../engine/ts/port/definitions.ts";
import { call } from "../../engine/ts/port/engine.ts";
import type { IcechunkRef, IcechunkSnapshot, RepositoryAnswers } from "../../engine/ts/port/operations.ts";
import { FetchStore } from "./fetch_store.ts";
import { checkHttpOptions, type FetchStoreOptions, HttpCallbacks, httpOptionsOf } from "./http_options.ts";
import { isOurs, isUntouched, NativeStore } from "./native_store.ts";
import { isOwn, reachOf, urlOf } from "./reach.ts";
import { ZipFileStore } from "./zip.ts";

export type { IcechunkRef, IcechunkSnapshot };

/** The state of a repository: at most one of these. Without any, the branch `main`. */
export interface IcechunkVersion {
  /** The last snapshot of this branch. Default: `main`, if no other state is given. */
  branch?: string | undefined;
  /** The snapshot of this tag. */
  tag?: string | undefined;
  /** The snapshot with this id. */
  snapshot?: string | undefined;
}

/** Which state of an Icechunk repository to read, and which servers it may refer to. */
export interface IcechunkAccess extends IcechunkVersion {
  /**
   * Servers of virtual chunks to which requests are allowed, besides that of the repository: as in
   * `ReferenceStoreOptions`. A prefix such as `s3://bucket` or `s3://bucket/folder` also stands for
   * the server that the repository names for that bucket. Default: all for a repository or
   * references on the page's own server; else none.
   */
  allowHosts?: string[] | undefined;
  /**
   * Whether files of virtual chunks must be those that the repository refers to, by their `ETag` or
   * `Last-Modified`, as far as their servers show these to pages. Default: true.
   */
  verify?: boolean | undefined;
}

export const ACCESS_RULES: Rules<IcechunkAccess> = {
  branch: "a text",
  tag: "a text",
  snapshot: "a text",
  allowHosts: "a list",
  verify: "a boolean",
};

/** The members of options that are for a repository. */
export const accessOf = ({
  branch,
  tag,
  snapshot,
  allowHosts,
  verify,
}: IcechunkAccess = {}): IcechunkAccess => ({
  branch,
  tag,
  snapshot,
  allowHosts,
  verify,
});

/**
 * Options of `IcechunkStore`. Those of requests are as in `FetchStore`. They are for virtual
 * chunks, too.
 */
export interface IcechunkStoreOptions extends IcechunkAccess, FetchStoreOptions {}

/** Whether a URL says that there is a repository. */
export const isOfRepository = (url: string | URL): boolean =>
  /^icechunk\+|^[^?#]*\.icechunk\/*([?#]|$)/i.test(String(url));

/** Whether a store is of this package and has files, which may be those of a repository. */
export function mayHoldRepository(store: unknown): store is AsyncReadable {
  if (store instanceof FileStore) return true;
  return (store instanceof FetchStore || store instanceof ZipFileStore) && isUntouched(store);
}

/** The store that is given. */
function storeOf(given: unknown, options: IcechunkStoreOptions): AsyncReadable {
  if (typeof given !== "string" && !(given instanceof URL)) return object(given, "place") as AsyncReadable;
  return new FetchStore(String(given).replace(/^icechunk\+/i, ""), httpOptionsOf(options));
}

const VERSIONS = ["branch", "tag", "snapshot"] as const;

/** Which state the options name, if any. */
export function versionOf(options: IcechunkVersion) {
  const [kind, other] = VERSIONS.filter((kind) => options[kind] !== undefined);
  need(!other, other ?? "", "the only one of branch, tag and snapshot", `${kind} too`);
  if (kind) needText(options[kind], kind);
  return kind && { kind, name: options[kind] as string };
}

function definitionOf(
  given: unknown,
  options: IcechunkStoreOptions,
): (objects: ObjectIds) => StoreDefinition {
  checkHttpOptions(options, ACCESS_RULES);
  const { allowHosts, verify = true } = options;
  const version = versionOf(options) ?? { kind: "branch", name: "main" };
  const inner = storeOf(given, options);
  const url = inner instanceof FetchStore ? absoluteUrl(inner.url) : undefined;
  const own = [urlOf(url ?? "")].flatMap((each) => each ?? []);
  const reach = reachOf(url, own, allowHosts ?? (isOwn(url) ? ["*"] : []));
  const callbacks = new HttpCallbacks(options);
  return (objects) => ({
    kind: "icechunk",
    store: objects.store(inner),
    version,
    allowHosts: allowHosts ?? [],
    verify,
    http: callbacks.define(objects, url ?? "virtual chunks", {
      headerOrigins: own.map(({ origin }) => origin),
      reach,
    }),
  });
}

/**
 * One state of an Icechunk repository, of version 1, 2 or 2.1. It is looked up at the first read,
 * and stays the same while others commit.
 *
 *     const store = new IcechunkStore("https://host/repository", { tag: "v1" });
 *     const group = await open(store);
 */
export class IcechunkStore extends NativeStore {
  readonly #again: () => IcechunkStore;

  /**
   * Nothing is requested yet.
   *
   * @param place The repository: a URL, also with `icechunk+` before it, or a store: an archive, a
   *   folder, your own.
   * @throws an `Argument` error for more than one of `branch`, `tag` and `snapshot`.
   */
  constructor(place: string | URL | AsyncReadable, options: IcechunkStoreOptions = {}) {
    super(definitionOf(place, options));
    this.#again = () => new IcechunkStore(place, options);
  }

  #ask<Question extends keyof RepositoryAnswers>(question: Question): Promise<RepositoryAnswers[Question]> {
    const asking = call("askRepository", (objects) => ({ store: objects.store(this), question }));
    return asking as Promise<RepositoryAnswers[Question]>;
  }

  /**
   * The branches, as they are now.
   *
   * @throws an `UnsupportedError` for a repository of version 1 in a store that cannot list, such
   *   as most servers.
   */
  branches(): Promise<IcechunkRef[]> {
    return this.#ask("branches");
  }

  /**
   * The tags, as they are now.
   *
   * @throws an `UnsupportedError` for a repository of version 1 in a store that cannot list, such
   *   as most servers.
   */
  tags(): Promise<IcechunkRef[]> {
    return this.#ask("tags");
  }

  /**
   * The id of the snapshot that this store shows.
   *
   * @throws a `NotFoundError` if the repository has no such branch, tag or snapshot.
   */
  snapshot(): Promise<string> {
    return this.#ask("snapshot");
  }

  /** The snapshot that this store shows, and those before it, from the newest. */
  history(): Promise<IcechunkSnapshot[]> {
    return this.#ask("history");
  }

  /**
   * Looks the branch up again. This store and its nodes stay at their snapshot.
   *
   * @returns a store of the last snapshot.
   */
  async refresh(): Promise<IcechunkStore> {
    const store = this.#again();
    await store.has("/zarr.json");
    return store;
  }
}
worksBehindProxies(IcechunkStore);
isOurs(IcechunkStore);
