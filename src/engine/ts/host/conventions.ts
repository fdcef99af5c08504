/**
 * The instance of the conventions' module (`src/conventions/rust/` in Rust), which starts at the
 * first question. Its calls are pure but for the grids that warping keeps, which callers give again
 * when they are gone; so an instance that trapped is thrown away and the next call has a new one.
 */
import { CONVENTIONS_CALLS, type ConventionsCalls } from "../../../contract/contract.ts";
import { errorFromRecord, ZarrError } from "../model/errors.ts";
import type { WasmBuilds } from "./wasm_builds.ts";
import { ReportedError, WasmModule } from "./wasm_module.ts";

export class Conventions {
  readonly #builds: WasmBuilds;
  #starting: Promise<WasmModule<ConventionsCalls>> | undefined;

  constructor(builds: WasmBuilds) {
    this.#builds = builds;
  }

  /** Starts the module before a call needs it. If that fails, the first call tells why. */
  prepare(): void {
    this.#instance().catch(() => {});
  }

  /** Drops the instance. */
  forget(): void {
    this.#starting = undefined;
  }

  /** Resolves to the answer to a request. */
  async call(name: keyof ConventionsCalls, request: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const wasm = await this.#instance();
    try {
      return wasm.bytes(name, { blocks: [request] });
    } catch (cause) {
      if (cause instanceof ReportedError) throw errorFromRecord(cause.record);
      this.forget();
      throw new ZarrError("Limit", `the ${name === "answer" ? "attributes are" : "map is"} too large`, {
        cause,
      });
    }
  }

  #instance(): Promise<WasmModule<ConventionsCalls>> {
    if (!this.#starting) {
      this.#starting = this.#start();
      this.#starting.catch(() => this.forget());
    }
    return this.#starting;
  }

  async #start(): Promise<WasmModule<ConventionsCalls>> {
    const instance = await WasmModule.instance(await this.#builds.module("conventions"));
    return new WasmModule(instance, "conventions_call", CONVENTIONS_CALLS);
  }
}
