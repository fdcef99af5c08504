/** Measures the linear memory of the wasm instances that this thread makes after the import. */

const memories = new Set();

function keep(instance) {
  for (const value of Object.values(instance.exports))
    if (value instanceof WebAssembly.Memory) memories.add(value);
  return instance;
}

const { instantiate, instantiateStreaming } = WebAssembly;

const kept = (call) =>
  async function counted(...args) {
    const result = await call.apply(WebAssembly, args);
    keep(result.instance ?? result);
    return result;
  };

WebAssembly.instantiate = kept(instantiate);
WebAssembly.instantiateStreaming = kept(instantiateStreaming);

export const wasmBytes = () => [...memories].reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
