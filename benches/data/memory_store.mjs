/** A store in memory. It has ranges, which zarrita needs for shards, and returns views. */

export class MemoryStore {
  #values;

  constructor(values) {
    this.#values = values;
  }

  get(key) {
    return this.#values.get(key);
  }

  getRange(key, range) {
    const value = this.#values.get(key);
    if (!value) return undefined;
    const start = "suffixLength" in range ? value.length - range.suffixLength : range.offset;
    return value.subarray(start, start + (range.length ?? range.suffixLength));
  }
}
