/**
 * The goals, one per line. `rows` picks records of a group by name. A goal applies to each
 * contestant in `who` that the record has:
 *
 *   faster: n, than: x     at least n times as fast as x
 *   within: n, of: x       at most n times as long as x, or as the longest of several
 *   most: n | least: n     limits of the figure; with `requests: true` of the number of requests
 */

const WHO = ["ours", "alias"];

const goal = (group, rows, held) => ({ group, rows, who: WHO, ...held });

const GOALS = [
  // Whole calls: of the time around decoding most is memory for the result. In Chromium each call
  // crosses to the engine's worker and back. PROFILES.md has the kernels alone.
  goal("codecs", /^(blosc|zstd|lz4|gzip)/, { faster: 1, than: "numcodecs" }),
  goal("codecs", /^gzip/, { faster: 1, than: "browser" }),

  goal("whole", /^blosc|^shards/, { faster: 1.5, than: "zarrita" }),
  goal("whole", /^zstd|^gzip/, { faster: 1.25, than: "zarrita" }),
  goal("whole", /^raw|^lz4/, { faster: 1, than: "zarrita" }),

  goal("workers", /^zstd|^gzip/, { who: ["2 workers"], faster: 1.5, than: "one thread" }),
  goal("workers", /^zstd|^gzip/, { who: ["shared"], faster: 1.5, than: "one thread" }),
  goal("workers", /^raw|^blosc|^shards/, { who: ["2 workers"], faster: 0.95, than: "one thread" }),

  goal("http", / \d+ ms/, { within: 1.05, of: ["fetch"] }),
  goal("http", /fast line/, { within: 1.4, of: ["fetch", "native"] }),
  goal("http", /shard/, { who: ["ours"], within: 1, of: ["tuned"] }),
  goal("cold", /^no latency: [\w ]+$/, { who: ["ours"], within: 0.7, of: ["tuned"] }),
  goal("cold", /^20 ms, 200 Mbit\/s: [\w ]+$/, { who: ["ours"], within: 0.65, of: ["tuned"] }),
  goal("cold", /^60 ms, 20 Mbit\/s: [\w ]+$/, { who: ["ours"], within: 0.7, of: ["tuned"] }),
  goal("cold", /code in the cache$/, { who: ["ours"], within: 0.7, of: ["tuned"] }),
  goal("planes", /planes/, { within: 1.2, of: ["fetch"] }),
  goal("planes", /again/, { most: 10 }),

  goal("open", /^open/, { within: 1.5, of: ["fetch"] }),
  goal("open", /readers/, { requests: true, most: 1 }),

  goal("pan", /longest task/, { most: 50 }),
  goal("pan", /cancelled/, { least: 90 }),
  goal("pan", /wasm memory/, { who: ["ours"], most: 0 }),
  goal("big", /longest task/, { most: 50 }),
  goal("big", /nodes, open/, { most: 500 }),
  goal("big", /10 000 chunks in memory/, { faster: 1, than: "zarrita" }),
  goal("big", /1 000 chunks over/, { within: 1.4, of: ["fetch"] }),

  goal("main_thread", /^(8 MiB|40 view|whole).*: work/, { who: ["ours"], within: 0.5, of: ["fetch"] }),
  goal("main_thread", /^(24 maps|64 conc).*: work/, { who: ["ours"], within: 1, of: ["fetch"] }),
  goal("main_thread", /^(?!64 conc|page load|nothing).*: work/, {
    who: ["ours"],
    within: 0.25,
    of: ["tuned"],
  }),
  goal("main_thread", /^(64 conc|page load).*: work/, { who: ["ours"], within: 0.5, of: ["tuned"] }),
  goal("main_thread", /^(?!nothing).*: longest gap$/, { who: ["ours"], most: 16 }),
  goal("main_thread", /^64 conc.*: time/, { who: ["ours"], requests: true, within: 1.3, of: ["fetch"] }),
  goal("main_thread", /^64 conc.*: time/, { who: ["ours"], within: 1.15, of: ["fetch"] }),
  goal("main_thread", /^1 000 small.*: time/, { who: ["ours"], within: 1, of: ["tuned"] }),
  goal("main_thread", /^(?!nothing).*: time/, { who: ["ours"], within: 1.05, of: ["before"] }),

  goal("viewer", /: first tile/, { who: ["ours"], most: 600 }),
  goal("viewer", /: full view/, { who: ["ours"], most: 1000 }),
  goal("viewer", /: requests before/, { who: ["ours"], most: 2 }),
  goal("viewer", /: longest task/, { who: ["ours"], most: 50 }),
  goal("viewer", /: from picture to picture while playing, 95 %/, { who: ["ours"], most: 250 }),
  goal("viewer", /: empty frames/, { who: ["ours"], most: 0 }),

  goal("warp", /./, { who: ["ours"], faster: 1, than: "pixels" }),

  goal("reduce", /200 Mbit\/s$/, { who: ["ours"], within: 1.05, of: ["fetch"] }),
  goal("reduce", /fast line$/, { who: ["ours"], within: 1.3, of: ["stream"] }),
  goal("reduce", /page's thread$/, { who: ["ours"], most: 10 }),
  goal("reduce", /shards: processor time$/, { who: ["ours"], faster: 4, than: "zarrita" }),
  goal("reduce", /one thread: /, { who: ["ours"], within: 2.5, of: ["numpy"] }),
  goal("reduce", /more memory$/, { who: ["ours"], most: 64 }),

  goal("memory", /^peak/, { within: 1, of: ["fetch"] }),
  goal("memory", /^start: an engine/, { who: ["ours"], most: 40 }),
  goal("sizes", /^facade/, { most: 40 }),
  goal("sizes", /^engine/, { most: 335 }),
  goal("sizes", /^programs/, { most: 35 }),
  goal("sizes", /^full/, { most: 600 }),
  goal("sizes", /^images/, { most: 650 }),
  goal("sizes", /^conventions/, { most: 100 }),
];

const known = (figures, names) => names.map((name) => figures[name]).filter((figure) => figure !== undefined);

/** `{value, isMet, text}` of a goal for one contestant. Undefined if a figure is missing. */
function hold(held, { figures, requests }, name) {
  const source = held.requests ? requests : figures;
  const figure = source?.[name];
  if (figure === undefined) return undefined;
  if (held.faster !== undefined) {
    const other = figures[held.than];
    if (other === undefined) return undefined;
    const value = other / figure;
    return {
      value,
      isMet: value >= held.faster,
      text: `≥ ${held.faster} × as fast as ${held.than}`,
      isRatio: true,
    };
  }
  if (held.within !== undefined) {
    const others = known(source, held.of);
    if (others.length === 0) return undefined;
    const value = figure / Math.max(...others);
    return {
      value,
      isMet: value <= held.within,
      text: `≤ ${held.within} × ${held.of.join(" or ")}${held.requests ? ", requests" : ""}`,
      isRatio: true,
    };
  }
  const isMet = held.most === undefined ? figure >= held.least : figure <= held.most;
  const limit = held.most === undefined ? `≥ ${held.least}` : `≤ ${held.most}`;
  return { value: figure, isMet, text: held.requests ? `${limit} requests` : limit, isRatio: false };
}

/** The results of all goals for a record: `[{name, value, isMet, text, isRatio}]`. */
export function verdictsOf(record) {
  return GOALS.filter(({ group, rows }) => group === record.group && rows.test(record.row)).flatMap((held) =>
    held.who.flatMap((name) => {
      const verdict = hold(held, record, name);
      return verdict ? [{ name, ...verdict }] : [];
    }),
  );
}
