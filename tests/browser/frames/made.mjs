/** Reads a small array from memory. Returns the kind of the engine and the second element. */
export async function made(zarr) {
  const metadata = {
    zarr_format: 3,
    node_type: "array",
    shape: [2],
    data_type: "uint8",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
    chunk_key_encoding: { name: "default" },
    codecs: [{ name: "bytes" }],
    fill_value: 0,
  };
  const store = new Map([
    ["/zarr.json", new TextEncoder().encode(JSON.stringify(metadata))],
    ["/c/0", Uint8Array.of(1, 2)],
  ]);
  const array = await zarr.open(store, { kind: "array" });
  const { data } = await array.get();
  return { engine: zarr.info().engine, value: data[1], refused: zarr.info().refused };
}
