/**
 * An engine's stores, by id. The wasm knows them by the same ids: a store is made there from the
 * page's definition at its first call, and again after the instance was replaced. A user's store is
 * represented by an object whose methods ask the page.
 */
import { HandleFolder, opfsFolder } from "../files/directory.ts";
import { type FolderIo, FolderStore, namesOfPrefix } from "../files/folder_store.ts";
import { ZarrError } from "../model/errors.ts";
import { inOneRun } from "../model/once.ts";
import { withoutSecrets } from "../model/secrets.ts";
import { type HttpDefinition, STORE_METHODS, type StoreDefinition } from "../port/definitions.ts";
import type { PersistentCaches } from "./http/persistent_cache.ts";
import { type HttpSender, sender } from "./http/send.ts";
import { type Glue, type Instances, LoadFirst } from "./instance_switch.ts";
import type { PageLink } from "./page.ts";

/** Makes a store in an instance of the engine. */
type Make = (glue: Glue) => void;

interface EngineStore {
  make: Make;
  /** The object that the wasm instance holds weakly; this reference keeps it alive. */
  object?: UserObject;
  /** The store that is released with it: one that the engine gave an id. */
  inner?: number;
  /** Only of a store over HTTP. */
  http?: HttpSender;
  /** The stores from which this one reads. */
  behind?: number[];
}

/** The kinds of stores that the engine's own build lacks. */
const NEED_READING: ReadonlySet<StoreDefinition["kind"]> = new Set([
  "zip-url",
  "zip-blob",
  "zip-store",
  "reference",
  "reference-tables",
  "icechunk",
]);

/** The entries of `allowHosts` that are beginnings of locations, with a slash at the end. */
const prefixesOf = (allowHosts: readonly string[]) =>
  allowHosts
    .map((entry) => entry.trim())
    .filter((entry) => /^(?!https?:)[a-z][a-z\d+.-]*:\/\//i.test(entry))
    .map((entry) => (entry.endsWith("/") ? entry : `${entry}/`));

type MakeHttp = (glue: Glue, options: never) => void;

/** `copies`: the values of the object are copies for the engine alone. */
const weakly = (id: number, object: object, copies: boolean): Make => {
  const reference = new WeakRef(object);
  return (glue) => glue.userStore(id, reference as never, copies);
};

/** A store over a folder that runs at the engine's end. `lockFor`: what names its locks instead. */
function local(
  id: number,
  folder: FolderIo,
  lockName: string | undefined,
  lockFor?: FolderStore["lockFor"],
): EngineStore {
  const store: object = new FolderStore(async () => folder);
  if (lockFor) Object.defineProperty(store, "lockFor", { value: lockFor });
  if (lockName !== undefined) Object.defineProperty(store, "lockName", { value: lockName });
  return { make: weakly(id, store, false), object: store as UserObject };
}

/** What stores use of their engine. */
interface StoresEngine {
  newId(): number;
  readonly page: PageLink;
  readonly instances: Instances;
  readonly caches: PersistentCaches;
}

export class Stores {
  readonly #engine: StoresEngine;
  readonly #stores = new Map<number, EngineStore>();
  constructor(engine: StoresEngine) {
    this.#engine = engine;
  }

  /** Adds a store that the page defines, or updates the methods of a user's store. */
  define(id: number, definition: StoreDefinition): void {
    if (NEED_READING.has(definition.kind)) this.#engine.instances.prepareBuild("reading");
    const known = this.#stores.get(id);
    if (known?.object && definition.kind === "user") known.object.update(definition);
    else this.#stores.set(id, this.#made(id, definition));
  }

  /** Removes a store that the page has released. */
  release(id: number): void {
    const { inner } = this.#stores.get(id) ?? {};
    if (inner !== undefined) this.release(inner);
    this.#stores.delete(id);
    this.#engine.instances.release(id);
  }

  /** Removes all stores. */
  forget(): void {
    this.#stores.clear();
  }

  /** Makes a store in the instance, unless it is there. Returns its id. */
  bind(glue: Glue, id: number): number {
    if (!glue.isKept(id)) this.#of(id).make(glue);
    return id;
  }

  /**
   * Registers the page's requests in flight for a store. The returned function cancels the unused
   * ones.
   */
  expectEarly(id: number, early: Parameters<HttpSender["expect"]>[0]): () => void {
    return this.#of(id).http?.expect(early) ?? (() => {});
  }

  /** Makes the stores over HTTP behind a store ask their servers again. */
  refresh(id: number): void {
    const { http, behind = [] } = this.#stores.get(id) ?? {};
    http?.refresh();
    for (const each of behind) this.refresh(each);
  }

  #of(id: number): EngineStore {
    const store = this.#stores.get(id);
    if (!store) throw new ZarrError("Argument", `the engine has no store with the number ${id}`);
    return store;
  }

  #made(id: number, definition: StoreDefinition): EngineStore {
    const { page, instances } = this.#engine;
    const warnOfArchive = (message: string) => page.warn(message, "/");
    switch (definition.kind) {
      case "http":
        return this.#http(id, definition.http, (glue, options) =>
          glue.httpStore(id, definition.url, options),
        );
      case "zip-url":
        return this.#http(id, definition.http, (glue, options) =>
          instances.need(glue, "reading").zipStoreOfUrl(id, definition.url, options, definition.rawNames),
        );
      case "reference": {
        const { url, text, pageUrl, target, http } = definition;
        return this.#http(id, http, (glue, options) =>
          instances.need(glue, "reading").referenceStore(id, { url, text, base: pageUrl, target }, options),
        );
      }
      case "icechunk":
        return { ...this.#icechunk(id, definition), behind: [definition.store] };
      case "reference-tables": {
        const { store, base, http } = definition;
        const make: MakeHttp = (glue, options) =>
          instances.need(glue, "reading").tableReferenceStore(id, this.bind(glue, store), base, options);
        return { ...this.#http(id, http, make), behind: [store] };
      }
      case "user": {
        const object = new UserObject(page, id, definition);
        // On one thread, bytes of this package's stores are not copied.
        return { make: weakly(id, object.methods, !(page.isLocal && definition.isFresh)), object };
      }
      case "directory": {
        // The page performs the calls of some stores, and only it knows all folders that are used.
        const lockFor = (key: string) => page.ask(id, "lockFor", [key]) as Promise<string>;
        return local(id, new HandleFolder(definition.root), definition.lockName, lockFor);
      }
      case "opfs":
        return local(id, opfsFolder(namesOfPrefix(definition.path)), definition.lockName);
      case "consolidated": {
        const { source, loaded = this.#engine.newId() } = definition;
        const record = (glue: Glue) => ({ ...source, store: this.bind(glue, source.store), loaded });
        const load = inOneRun(() => instances.operate("consolidatedStore", record, undefined));
        const make: Make = (glue) => {
          if (!glue.isKept(loaded)) throw new LoadFirst(load);
          glue.keepAlso(id, loaded);
        };
        return { make, inner: loaded, behind: [source.store] };
      }
      case "overlay": {
        const { first, second } = definition;
        const make: Make = (glue) => glue.overlayStore(id, this.bind(glue, first), this.bind(glue, second));
        return { make, behind: [first, second] };
      }
      case "zip-blob": {
        const { blob, rawNames } = definition;
        return {
          make: (glue) => instances.need(glue, "reading").zipStoreOfBlob(id, blob, warnOfArchive, rawNames),
        };
      }
      case "zip-store": {
        const { store, rawNames } = definition;
        const make: Make = (glue) =>
          instances
            .need(glue, "reading")
            .zipStoreOfStore(id, this.bind(glue, store), warnOfArchive, rawNames);
        return { make, behind: [store] };
      }
      case "below": {
        const { below } = definition;
        return { make: (glue) => glue.keepAlso(id, below), inner: below };
      }
    }
  }

  #http(id: number, definition: HttpDefinition, make: MakeHttp): EngineStore {
    const { page } = this.#engine;
    const onWarning = (message: string) => page.warn(message, definition.shown, id);
    const http = sender(this.#engine, definition, onWarning);
    const options = {
      fetch: http.send,
      overrides: definition.init,
      useSuffixRequest: definition.useSuffixRequest,
      missingOn403: definition.missingOn403,
      isAnonymous: definition.isAnonymous,
      mayProbe: definition.fetch === undefined,
      passesCaches: definition.passesCaches ?? false,
      knownDocument: definition.knownDocument,
      onConsole: (message: string) => console.warn(`zarr-wasm: ${withoutSecrets(message)}`),
      onWarning,
    };
    return { make: (glue) => make(glue, options as never), http };
  }

  #icechunk(
    id: number,
    { store, version, allowHosts, verify, http }: Extract<StoreDefinition, { kind: "icechunk" }>,
  ): EngineStore {
    // Another instance of the engine shows the same state.
    let at: string | undefined;
    const definition = () => ({ store, ...version, at, prefixes: prefixesOf(allowHosts), verify });
    const allow = (url: string) => http.reach?.hosts.push(new URL(url).host);
    const onFound = (snapshot: string) => {
      at = snapshot;
    };
    return this.#http(id, http, (glue, requests) => {
      this.bind(glue, store);
      const { icechunkStore } = this.#engine.instances.need(glue, "reading");
      icechunkStore(id, definition(), allow, onFound, requests);
    });
  }
}

type Methods = Record<string, unknown>;

/** Represents a user's store. Its methods ask the page. */
class UserObject {
  readonly methods: Methods = {};
  readonly #page: PageLink;
  readonly #id: number;

  constructor(page: PageLink, id: number, definition: Extract<StoreDefinition, { kind: "user" }>) {
    this.#page = page;
    this.#id = id;
    this.update(definition);
  }

  /** Replaces the methods by these. */
  update({ methods, lockName }: Extract<StoreDefinition, { kind: "user" }>): void {
    for (const name of Object.keys(this.methods)) delete this.methods[name];
    for (const name of methods) this.methods[name] = askingMethod(this.#page, this.#id, name);
    if (lockName !== undefined) this.methods.lockName = lockName;
  }
}

/** A method that asks the page. The signal crosses as the id of its call. */
export function askingMethod(
  page: PageLink,
  target: number,
  name: string,
): (...args: unknown[]) => Promise<unknown> {
  if (STORE_METHODS[name] === "writes") return (...args) => page.ask(target, name, args);
  return (...args) => {
    const { signal } = (args.pop() ?? {}) as { signal?: AbortSignal };
    return page.ask(target, name, args, { signal });
  };
}
