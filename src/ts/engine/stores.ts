/**
 * An engine's stores, by the page's numbers. A store is made from the page's definition at its
 * first call, and again after the wasm instance was replaced. A user's store is represented by an
 * object whose methods ask the page.
 */
import { HandleFolder, opfsFolder } from "../files/directory.ts";
import { type FolderIo, FolderStore, namesOfPrefix } from "../files/folder_store.ts";
import { ZarrError } from "../model/errors.ts";
import { withoutSecrets } from "../model/secrets.ts";
import { type HttpDefinition, STORE_METHODS, type StoreDefinition } from "../port/definitions.ts";
import type { PersistentCaches } from "./http/persistent_cache.ts";
import { type HttpSender, sender } from "./http/send.ts";
import type { Glue, Handle, Instances } from "./instances.ts";
import type { PageLink } from "./page.ts";

/** Makes a store in an instance of the engine and returns its number there. */
type Make = (glue: Glue) => number;

interface EngineStore {
  make: Make;
  handle?: Handle;
  /** The object that the wasm instance holds weakly; this reference keeps it alive. */
  object?: UserObject;
  /** Number of the consolidated metadata that is released with the store. */
  loaded?: number;
  /** Only of a store over HTTP. */
  http?: HttpSender;
  /** Numbers of the stores from which this one reads. */
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

type MakeHttp = (glue: Glue, options: never) => number;

/** `copies`: the values of the object are copies for the engine alone. */
const weakly = (object: object, copies: boolean): Make => {
  const reference = new WeakRef(object);
  return (glue) => glue.userStore(reference as never, copies);
};

/** A store over a folder that runs at the engine's end. `lockFor`: what names its locks instead. */
function local(
  folder: FolderIo,
  lockName: string | undefined,
  lockFor?: FolderStore["lockFor"],
): EngineStore {
  const store: object = new FolderStore(async () => folder);
  if (lockFor) Object.defineProperty(store, "lockFor", { value: lockFor });
  if (lockName !== undefined) Object.defineProperty(store, "lockName", { value: lockName });
  return { make: weakly(store, false), object: store as UserObject };
}

/** What stores use of their engine. */
interface StoresEngine {
  readonly page: PageLink;
  readonly instances: Instances;
  readonly caches: PersistentCaches;
}

export class Stores {
  readonly #engine: StoresEngine;
  readonly #stores = new Map<number, EngineStore>();
  /**
   * The next number for consolidated metadata. The engine's numbers are negative, the page's
   * positive.
   */
  #nextLoaded = -1;

  constructor(engine: StoresEngine) {
    this.#engine = engine;
  }

  /** Adds a store that the page defines, or updates the methods of a user's store. */
  define(number: number, definition: StoreDefinition): void {
    if (NEED_READING.has(definition.kind)) this.#engine.instances.prepareBuild("reading");
    const known = this.#stores.get(number);
    if (known?.object && definition.kind === "user") known.object.update(definition);
    else this.#stores.set(number, this.#made(number, definition));
  }

  /** Removes a store that the page has released. */
  release(number: number): void {
    const { handle, loaded } = this.#stores.get(number) ?? {};
    if (loaded !== undefined) this.release(loaded);
    this.#stores.delete(number);
    const { instances } = this.#engine;
    const id = handle?.id;
    if (id !== undefined && instances.isStarted) instances.callNow((glue) => glue.releaseStore(id));
  }

  /** Removes all stores. */
  forget(): void {
    this.#stores.clear();
  }

  /** The instance's number of a store. Makes the store first if necessary. */
  id(glue: Glue, number: number): number {
    const store = this.#of(number);
    const known = store.handle?.id;
    if (known !== undefined) return known;
    const handle = this.#engine.instances.handle(store.make(glue));
    store.handle = handle;
    return handle.id as number;
  }

  /**
   * Registers the page's requests in flight for a store. The returned function cancels the unused
   * ones.
   */
  expectEarly(number: number, early: Parameters<HttpSender["expect"]>[0]): () => void {
    return this.#of(number).http?.expect(early) ?? (() => {});
  }

  /** Makes the stores over HTTP behind a store ask their servers again. */
  refresh(number: number): void {
    const { http, behind = [] } = this.#stores.get(number) ?? {};
    http?.refresh();
    for (const each of behind) this.refresh(each);
  }

  /**
   * Registers a store that the wasm instance has made, and returns its number. After that instance
   * is gone, the number means the store `otherwise`.
   */
  keep(handle: Handle, otherwise: number): number {
    const number = this.#nextLoaded--;
    this.#stores.set(number, { make: (glue) => this.id(glue, otherwise), handle, behind: [otherwise] });
    return number;
  }

  #of(number: number): EngineStore {
    const store = this.#stores.get(number);
    if (!store) throw new ZarrError("Argument", `the engine has no store with the number ${number}`);
    return store;
  }

  #made(number: number, definition: StoreDefinition): EngineStore {
    const { page, instances } = this.#engine;
    const warnOfArchive = (message: string) => page.warn(message, "/");
    switch (definition.kind) {
      case "http":
        return this.#http(number, definition.http, (glue, options) =>
          glue.httpStore(definition.url, options),
        );
      case "zip-url":
        return this.#http(number, definition.http, (glue, options) =>
          instances.needReading(glue).zipStoreOfUrl(definition.url, options, definition.rawNames),
        );
      case "reference": {
        const { url, text, pageUrl, target, http } = definition;
        return this.#http(number, http, (glue, options) =>
          instances.needReading(glue).referenceStore({ url, text, base: pageUrl, target }, options),
        );
      }
      case "icechunk":
        return { ...this.#icechunk(number, definition), behind: [definition.store] };
      case "reference-tables": {
        const { store, base, http } = definition;
        const make: MakeHttp = (glue, options) =>
          instances.needReading(glue).tableReferenceStore(this.id(glue, store), base, options);
        return { ...this.#http(number, http, make), behind: [store] };
      }
      case "user": {
        const object = new UserObject(page, number, definition);
        // On one thread, bytes of this package's stores are not copied.
        return { make: weakly(object.methods, !(page.isLocal && definition.isFresh)), object };
      }
      case "directory": {
        // The page performs the calls of some stores, and only it knows all folders that are used.
        const lockFor = (key: string) => page.ask(number, "lockFor", [key]) as Promise<string>;
        return local(new HandleFolder(definition.root), definition.lockName, lockFor);
      }
      case "opfs":
        return local(opfsFolder(namesOfPrefix(definition.path)), definition.lockName);
      case "consolidated": {
        const { store, loaded } = definition;
        // Metadata that is no longer loaded is read from the store itself.
        const make: Make = (glue) => this.id(glue, this.#stores.has(loaded) ? loaded : store);
        return { make, loaded, behind: [store] };
      }
      case "overlay": {
        const { first, second } = definition;
        const make: Make = (glue) => glue.overlayStore(this.id(glue, first), this.id(glue, second));
        return { make, behind: [first, second] };
      }
      case "zip-blob": {
        const { blob, rawNames } = definition;
        return { make: (glue) => instances.needReading(glue).zipStoreOfBlob(blob, warnOfArchive, rawNames) };
      }
      case "zip-store": {
        const { store, rawNames } = definition;
        const make: Make = (glue) =>
          instances.needReading(glue).zipStoreOfStore(this.id(glue, store), warnOfArchive, rawNames);
        return { make, behind: [store] };
      }
      case "below":
        return { make: () => definition.below };
    }
  }

  #http(number: number, definition: HttpDefinition, make: MakeHttp): EngineStore {
    const { page } = this.#engine;
    const onWarning = (message: string) => page.warn(message, definition.shown, number);
    const http = sender(this.#engine, definition, onWarning);
    const options = {
      fetch: http.send,
      overrides: definition.init,
      useSuffixRequest: definition.useSuffixRequest,
      missingOn403: definition.missingOn403,
      isAnonymous: definition.isAnonymous,
      mayProbe: definition.fetch === undefined,
      passesCaches: definition.passesCaches ?? false,
      onConsole: (message: string) => console.warn(`zarr-wasm: ${withoutSecrets(message)}`),
      onWarning,
    };
    return { make: (glue) => make(glue, options as never), http };
  }

  #icechunk(
    number: number,
    { store, version, allowHosts, verify, http }: Extract<StoreDefinition, { kind: "icechunk" }>,
  ): EngineStore {
    // Another instance of the engine shows the same state.
    let at: string | undefined;
    const definition = () => ({ ...version, at, prefixes: prefixesOf(allowHosts), verify });
    const allow = (url: string) => http.reach?.hosts.push(new URL(url).host);
    const onFound = (snapshot: string) => {
      at = snapshot;
    };
    return this.#http(number, http, (glue, requests) =>
      this.#engine.instances
        .needReading(glue)
        .icechunkStore(this.id(glue, store), definition(), allow, onFound, requests),
    );
  }
}

type Methods = Record<string, unknown>;

/** Represents a user's store. Its methods ask the page. */
class UserObject {
  readonly methods: Methods = {};
  readonly #page: PageLink;
  readonly #number: number;

  constructor(page: PageLink, number: number, definition: Extract<StoreDefinition, { kind: "user" }>) {
    this.#page = page;
    this.#number = number;
    this.update(definition);
  }

  /** Replaces the methods by these. */
  update({ methods, lockName }: Extract<StoreDefinition, { kind: "user" }>): void {
    for (const name of Object.keys(this.methods)) delete this.methods[name];
    for (const name of methods) this.methods[name] = askingMethod(this.#page, this.#number, name);
    if (lockName !== undefined) this.methods.lockName = lockName;
  }
}

/** A method that asks the page. The signal crosses as the number of its call. */
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
