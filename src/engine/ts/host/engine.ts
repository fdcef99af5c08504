/**
 * One engine: an object that its page's end of the port owns, with all that it keeps. Several may
 * run on a thread, because a program may have several copies of this package, and each gives ids to
 * its stores and arrays from 1. So no module of this room keeps anything that belongs to an engine.
 */
import type { EngineStatus } from "../port/protocol.ts";
import { Arrays } from "./bound_arrays.ts";
import { Conventions } from "./conventions.ts";
import { DecodePools } from "./decode/pool_choice.ts";
import { PartReducer } from "./decode/reducer.ts";
import { PersistentCaches } from "./http/persistent_cache.ts";
import { Instances } from "./instance_switch.ts";
import type { PageLink } from "./page.ts";
import { EngineState } from "./state.ts";
import { Stores } from "./stores.ts";
import { WasmBuilds } from "./wasm_builds.ts";

/** The page counts from 1, and comes not so far. Ids have 32 bits. */
const FIRST_OWN_ID = 2 ** 31;

export class Engine {
  readonly page: PageLink;
  readonly state = new EngineState();
  readonly builds: WasmBuilds;
  readonly conventions: Conventions;
  readonly instances: Instances;
  readonly pools: DecodePools;
  readonly caches: PersistentCaches;
  readonly stores: Stores;
  readonly arrays: Arrays;
  /** Makes the levels of pyramids. */
  readonly reducer = new PartReducer();
  #nextId = FIRST_OWN_ID;

  constructor(page: PageLink) {
    this.page = page;
    this.builds = new WasmBuilds(this.state, page);
    this.conventions = new Conventions(this.builds);
    this.instances = new Instances(this.state, this.builds);
    this.pools = new DecodePools(this);
    this.caches = new PersistentCaches(this);
    this.stores = new Stores(this);
    this.arrays = new Arrays(this);
  }

  /** An id of a store or an array to which the page gives none. */
  newId(): number {
    return this.#nextId++;
  }

  /** Ends all calls in flight and frees the memory. Calls that go on find no store and no array. */
  close(): void {
    this.page.close(new Error("the engine was closed"));
    this.pools.close();
    this.instances.stop();
    this.arrays.forget();
    this.stores.forget();
    this.conventions.forget();
    this.builds.forget();
  }

  /** The counters that `info()` shows. */
  status(): EngineStatus {
    const { counters } = this.state;
    const workers = counters.decoder === "caller" ? 0 : this.pools.workerCount;
    return {
      ...counters,
      build: this.instances.build,
      workers,
      caches: this.instances.cacheCounters(),
    };
  }
}
