/**
 * The engine's stores, by the page's numbers. A store is made from the page's definition at its
 * first call, and again after the wasm instance was replaced. A user's store is represented by an
 * object whose methods ask the page.
 */
import { HandleFolder, opfsFolder } from "../files/directory.ts";
import { type FolderIo, FolderStore, namesOfPrefix } from "../files/folder_store.ts";
import { ZarrError } from "../model/errors.ts";
import { withoutSecrets } from "../model/secrets.ts";
import { type HttpDefinition, STORE_METHODS, type StoreDefinition } from "../port/definitions.ts";
import { type HttpSender, sender } from "./http/send.ts";
import { callNow, type Glue, Handle, hasInstance, needReading, prepareBuild } from "./instances.ts";
import { page } from "./page.ts";

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

const stores = new Map<number, EngineStore>();

function storeOf(number: number): EngineStore {
  const store = stores.get(number);
  if (!store) throw new ZarrError("Argument", `the engine has no store with the number ${number}`);
  return store;
}

/** The instance's number of a store. Makes the store first if necessary. */
export function storeId(glue: Glue, number: number): number {
  const store = storeOf(number);
  const known = store.handle?.id;
  if (known !== undefined) return known;
  const handle = new Handle(store.make(glue));
  store.handle = handle;
  return handle.id as number;
}

/**
 * Registers the page's requests in flight for a store. The returned function cancels the unused
 * ones.
 */
export const expectEarly = (number: number, early: Parameters<HttpSender["expect"]>[0]): (() => void) =>
  storeOf(number).http?.expect(early) ?? (() => {});

/** Makes the stores over HTTP behind a store ask their servers again. */
export function refreshStore(number: number): void {
  const { http, behind = [] } = stores.get(number) ?? {};
  http?.refresh();
  for (const each of behind) refreshStore(each);
}

/**
 * Registers a store that the wasm instance has made. After that instance is gone, the number means
 * the store `otherwise`.
 */
export function keepStore(number: number, handle: Handle, otherwise: number): void {
  stores.set(number, { make: (glue) => storeId(glue, otherwise), handle, behind: [otherwise] });
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

/** Adds a store that the page defines, or updates the methods of a user's store. */
export function defineStore(number: number, definition: StoreDefinition): void {
  if (NEED_READING.has(definition.kind)) prepareBuild("reading");
  const known = stores.get(number);
  if (known?.object && definition.kind === "user") known.object.become(definition);
  else stores.set(number, made(number, definition));
}

/** Removes a store that the page has released. */
export function releaseStore(number: number): void {
  const { loaded } = stores.get(number) ?? {};
  if (loaded !== undefined) releaseStore(loaded);
  const handle = stores.get(number)?.handle;
  stores.delete(number);
  const id = handle?.id;
  if (id !== undefined && hasInstance()) callNow((glue) => glue.releaseStore(id));
}

/** Removes all stores. */
export const forgetStores = (): void => stores.clear();

function made(number: number, definition: StoreDefinition): EngineStore {
  switch (definition.kind) {
    case "http":
      return httpStore(number, definition.http, (glue, options) => glue.httpStore(definition.url, options));
    case "zip-url":
      return httpStore(number, definition.http, (glue, options) =>
        needReading(glue).zipStoreOfUrl(definition.url, options, definition.rawNames),
      );
    case "reference": {
      const { url, text, pageUrl, target, http } = definition;
      return httpStore(number, http, (glue, options) =>
        needReading(glue).referenceStore(url, text, pageUrl, target, options),
      );
    }
    case "icechunk":
      return { ...icechunkStore(number, definition), behind: [definition.store] };
    case "reference-tables": {
      const { store, base, http } = definition;
      const make: MakeHttp = (glue, options) =>
        needReading(glue).tableReferenceStore(storeId(glue, store), base, options);
      return { ...httpStore(number, http, make), behind: [store] };
    }
    case "user": {
      const object = new UserObject(number, definition);
      // Bytes from the page of a worker are copies.
      return { make: weakly(object.methods, !page().isLocal), object };
    }
    case "directory":
      return local(new HandleFolder(definition.root), definition.lockName);
    case "opfs":
      return local(opfsFolder(namesOfPrefix(definition.path)), definition.lockName);
    case "consolidated": {
      const { store, loaded } = definition;
      // Metadata that is no longer loaded is read from the store itself.
      const make: Make = (glue) => storeId(glue, stores.has(loaded) ? loaded : store);
      return { make, loaded, behind: [store] };
    }
    case "overlay": {
      const { first, second } = definition;
      const make: Make = (glue) => glue.overlayStore(storeId(glue, first), storeId(glue, second));
      return { make, behind: [first, second] };
    }
    case "zip-blob": {
      const { blob, rawNames } = definition;
      return { make: (glue) => needReading(glue).zipStoreOfBlob(blob, warnOfArchive, rawNames) };
    }
    case "zip-store": {
      const { store, rawNames } = definition;
      const make: Make = (glue) =>
        needReading(glue).zipStoreOfStore(storeId(glue, store), warnOfArchive, rawNames);
      return { make, behind: [store] };
    }
    case "below":
      return { make: () => definition.below };
  }
}

const warnOfArchive = (message: string) => page().warn(message, "/");

/** `copies`: the values of the object are copies for the engine alone. */
const weakly = (object: object, copies: boolean): Make => {
  const reference = new WeakRef(object);
  return (glue) => glue.userStore(reference as never, copies);
};

/** A store over a folder that runs at the engine's end. */
function local(folder: FolderIo, lockName: string | undefined): EngineStore {
  const store: object = new FolderStore(async () => folder);
  if (lockName !== undefined) Object.defineProperty(store, "lockName", { value: lockName });
  return { make: weakly(store, false), object: store as UserObject };
}

type MakeHttp = (glue: Glue, options: never) => number;

function httpStore(number: number, definition: HttpDefinition, make: MakeHttp): EngineStore {
  const onWarning = (message: string) => page().warn(message, definition.shown, number);
  const http = sender(definition, onWarning);
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

/** The entries of `allowHosts` that are beginnings of locations, with a slash at the end. */
const prefixesOf = (allowHosts: readonly string[]) =>
  allowHosts
    .map((entry) => entry.trim())
    .filter((entry) => /^(?!https?:)[a-z][a-z\d+.-]*:\/\//i.test(entry))
    .map((entry) => (entry.endsWith("/") ? entry : `${entry}/`));

function icechunkStore(
  number: number,
  { store, version, allowHosts, verify, http }: Extract<StoreDefinition, { kind: "icechunk" }>,
): EngineStore {
  const options = {
    ...version,
    // Another instance of the engine shows the same state.
    at: undefined as string | undefined,
    prefixes: prefixesOf(allowHosts).join("\n"),
    verify,
    allow: (url: string) => http.reach?.hosts.push(new URL(url).host),
    onFound(snapshot: string) {
      options.at = snapshot;
    },
  };
  return httpStore(number, http, (glue, requests) =>
    needReading(glue).icechunkStore(storeId(glue, store), options as never, requests),
  );
}

type Methods = Record<string, unknown>;

/** Represents a user's store. Its methods ask the page. */
class UserObject {
  readonly methods: Methods = {};
  readonly #number: number;

  constructor(number: number, definition: Extract<StoreDefinition, { kind: "user" }>) {
    this.#number = number;
    this.become(definition);
  }

  /** Replaces the methods by these. */
  become({ methods, lockName }: Extract<StoreDefinition, { kind: "user" }>): void {
    for (const name of Object.keys(this.methods)) delete this.methods[name];
    for (const name of methods) this.methods[name] = askingMethod(this.#number, name);
    if (lockName !== undefined) this.methods.lockName = lockName;
  }
}

/** A method that asks the page. The signal crosses as the number of its call. */
export function askingMethod(target: number, name: string): (...args: unknown[]) => Promise<unknown> {
  if (STORE_METHODS[name] === "writes") return (...args) => page().ask(target, name, args);
  return (...args) => {
    const { signal } = (args.pop() ?? {}) as { signal?: AbortSignal };
    return page().ask(target, name, args, { signal });
  };
}
