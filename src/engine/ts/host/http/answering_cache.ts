/**
 * A `Cache` of Cache Storage with a time limit for each call. If the storage is damaged or its
 * process hangs, calls may never settle. After the first such call, all calls reject at once.
 */
import { TIMEOUTS } from "../../port/timeouts.ts";

export class AnsweringCache {
  readonly #cache: Cache;
  #isSilent = false;

  private constructor(cache: Cache) {
    this.#cache = cache;
  }

  /** Opens a cache by its name. Rejects if the storage fails, or does not answer. */
  static async open(storage: CacheStorage, name: string): Promise<AnsweringCache> {
    return new AnsweringCache(await inTime(storage.open(name)));
  }

  /** Opens a cache by its name if there is one. */
  static async find(storage: CacheStorage, name: string): Promise<AnsweringCache | undefined> {
    return (await inTime(storage.has(name))) ? AnsweringCache.open(storage, name) : undefined;
  }

  /** Deletes a cache by its name. */
  static async remove(storage: CacheStorage, name: string): Promise<void> {
    await inTime(storage.delete(name));
  }

  /** Whether a call got no answer. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  async #ask<T>(act: (cache: Cache) => Promise<T>): Promise<T> {
    if (this.#isSilent) throw silence();
    return inTime(act(this.#cache), () => {
      this.#isSilent = true;
    });
  }

  /** A response with its body in memory; undefined if there is none. */
  match(address: string): Promise<Response | undefined> {
    return this.#ask(async (cache) => {
      const kept = await cache.match(address);
      return kept && new Response(await kept.arrayBuffer(), { headers: kept.headers });
    });
  }

  /** The addresses and the headers of all responses. */
  contents(): Promise<[readonly Request[], readonly Response[]]> {
    return this.#ask((cache) => Promise.all([cache.keys(), cache.matchAll()]));
  }

  put(address: string, response: Response): Promise<void> {
    return this.#ask((cache) => cache.put(address, response));
  }

  delete(address: string): Promise<boolean> {
    return this.#ask((cache) => cache.delete(address));
  }
}

const silence = () => new Error("the storage does not answer");

/** The result of a call, if it comes in time. */
function inTime<T>(call: Promise<T>, onSilence = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onSilence();
      reject(silence());
    }, TIMEOUTS.storageMs);
    call.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
