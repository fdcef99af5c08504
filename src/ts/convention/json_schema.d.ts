/**
 * Declares the part of @cfworker/json-schema that `schema.ts` uses. The library is bundled. With
 * these declarations, users of our published types need not install it.
 */
declare module "@cfworker/json-schema" {
  export type Schema = Record<string, unknown>;

  /** One error. Locations are JSON pointers as URI fragments. */
  export interface OutputUnit {
    keyword: string;
    keywordLocation: string;
    instanceLocation: string;
    error: string;
  }

  export class Validator {
    constructor(schema: Schema | boolean, draft?: "4" | "7" | "2019-09" | "2020-12", shortCircuit?: boolean);
    addSchema(schema: Schema, id?: string): void;
    validate(instance: unknown): { valid: boolean; errors: OutputUnit[] };
  }
}
