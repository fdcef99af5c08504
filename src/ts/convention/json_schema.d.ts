/**
 * The few names of @cfworker/json-schema that `schema.ts` uses. Declared here, because the package is bundled: neither our
 * sources nor our published declarations need it to be installed to compile.
 */
declare module "@cfworker/json-schema" {
  export type Schema = Record<string, unknown>;

  /** One error; locations are URI fragments of JSON pointers. */
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
