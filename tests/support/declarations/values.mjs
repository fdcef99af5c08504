/**
 * A value of every kind that a caller can pass by mistake, or to do harm. Each is made anew for
 * each use. What the hostile ones throw is `THROWN`: a caller's own error, which may come out
 * unchanged.
 */
export const THROWN = new Error("thrown by the caller's own object");

const throwing = () => {
  throw THROWN;
};

function detached() {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const TRAPS = ["get", "has", "ownKeys", "getPrototypeOf", "getOwnPropertyDescriptor"];

export const VALUES = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  NaN: () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
  "-1": () => -1,
  1.5: () => 1.5,
  5: () => 5,
  "2 ** 32": () => 2 ** 32,
  "2 ** 53": () => 2 ** 53,
  "empty text": () => "",
  "NUL text": () => "\0",
  "lone surrogate": () => "\ud800",
  symbol: () => Symbol("a symbol"),
  bigint: () => 5n,
  function: () => () => ({}),
  "async function": () => async () => ({}),
  object: () => ({ a: 1 }),
  "object without prototype": () => Object.create(null),
  "throwing proxy": () => new Proxy({}, Object.fromEntries(TRAPS.map((trap) => [trap, throwing]))),
  "throwing getters": () => ({
    get data() {
      return throwing();
    },
    get get() {
      return throwing();
    },
    get signal() {
      return throwing();
    },
    get length() {
      return throwing();
    },
    toString: throwing,
    toJSON: throwing,
  }),
  cycle: () => {
    const cycle = {};
    cycle.cycle = cycle;
    return cycle;
  },
  "revoked proxy": revoked,
  "empty list": () => [],
  list: () => [1, "a", null, Symbol("an entry"), Object.create(null)],
  "nested lists": () => [
    [1, [2]],
    [3, [4]],
  ],
  "list with a hole": () => new Array(3),
  "long array-like": () => ({ length: 2 ** 40 }),
  "detached buffer": detached,
  "typed array": () => new Float64Array([1, Number.NaN]),
  bytes: () => new Uint8Array([0, 255]),
  map: () => new Map([["a", 1]]),
  promise: () => Promise.resolve(5),
  date: () => new Date(0),
  "invalid date": () => new Date(Number.NaN),
  regexp: () => /a/,
};
