/**
 * Proxies as Vue's `reactive` and `ref` make them, because Vue is no package of this project: every
 * object that is reached through one becomes one, but for what Vue leaves alone. That is decided by
 * the tag of `Object.prototype.toString`, as in `@vue/reactivity`: plain objects, instances of
 * classes, arrays and collections have proxies; promises, typed arrays, blobs and functions have
 * none.
 */
const proxies = new WeakMap();
const raws = new WeakMap();

const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
const COLLECTIONS = ["Map", "Set", "WeakMap", "WeakSet"];

export const toRaw = (value) => raws.get(value) ?? value;

/** Methods of collections work on the collection itself, and what they return has proxies. */
const ofCollection = {
  get(target, key) {
    const value = Reflect.get(target, key, target);
    if (typeof value !== "function") return value;
    return (...args) => reactive(value.apply(target, args.map(toRaw)));
  },
};

const ofObject = {
  get: (target, key, receiver) => reactive(Reflect.get(target, key, receiver)),
  set: (target, key, value, receiver) => Reflect.set(target, key, toRaw(value), receiver),
};

export function reactive(value) {
  if (Object(value) !== value || typeof value === "function" || raws.has(value)) return value;
  const isCollection = COLLECTIONS.includes(tagOf(value));
  if (!(isCollection || ["Object", "Array"].includes(tagOf(value))) || !Object.isExtensible(value))
    return value;
  let proxy = proxies.get(value);
  if (!proxy) {
    proxy = new Proxy(value, isCollection ? ofCollection : ofObject);
    proxies.set(value, proxy);
    raws.set(proxy, value);
  }
  return proxy;
}
