/**
 * Objects of this package behind proxies, as frameworks such as Vue make of what a page keeps. A
 * proxy has no private members, and is another object than the one behind it: a table of objects
 * does not know it. So each object tells what is behind its proxies, and the methods of its class
 * work on that.
 */

/** The key of a function that returns the object itself. Proxies pass functions on. */
const SELF = Symbol();

/** Lets an object be found behind its proxies. Copies of its members do not have the key. */
export function findable<T extends object>(object: T): T {
  return Object.defineProperty(object, SELF, { value: () => object, configurable: true, writable: true });
}

/**
 * The object behind a proxy. Any other value is returned as it is: also an object that has one of
 * this package as its prototype, because it may have other members.
 */
export function unproxied<T>(value: T): T {
  const isOwn = Object(value) === value && Object.hasOwn(value as object, SELF);
  return isOwn ? (value as { [SELF]: () => T })[SELF]() : value;
}

/** Makes the methods and getters of a class work on the object behind a proxy. */
export function worksBehindProxies({ prototype }: abstract new (...args: never[]) => object): void {
  for (const key of Reflect.ownKeys(prototype)) {
    const member = Object.getOwnPropertyDescriptor(prototype, key) as PropertyDescriptor;
    for (const part of ["value", "get", "set"] as const) {
      const method = member[part];
      if (typeof method !== "function" || key === "constructor") continue;
      member[part] = function (this: object, ...args: unknown[]) {
        return method.apply(unproxied(this), args);
      };
    }
    Object.defineProperty(prototype, key, member);
  }
}
