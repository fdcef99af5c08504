/**
 * The platform's coders of UTF-8. Test environments that imitate a page in Node, such as jsdom, may
 * lack the globals; then Node has them in a module.
 */
import { nodeModule } from "./node.ts";

type Coders = Pick<typeof globalThis, "TextDecoder" | "TextEncoder">;

const classOf = <Name extends keyof Coders>(name: Name): Coders[Name] =>
  (globalThis as Partial<Coders>)[name] ?? (nodeModule("node:util") as Coders)[name];

export const decoder = (): typeof TextDecoder => classOf("TextDecoder");
export const encoder = (): typeof TextEncoder => classOf("TextEncoder");

export function newDecoder(options?: TextDecoderOptions): TextDecoder {
  return new (decoder())("utf-8", options);
}

export function newEncoder(): TextEncoder {
  return new (encoder())();
}
