/**
 * Typed arrays with memory of their own, which can be transferred. Since TypeScript 5.7 their types
 * have a parameter for the memory, which earlier compilers of users cannot read.
 */

export type OwnBytes = ReturnType<Uint8ArrayConstructor["of"]>;
export type OwnColors = ReturnType<Uint8ClampedArrayConstructor["of"]>;
export type OwnInt32 = ReturnType<Int32ArrayConstructor["of"]>;
export type OwnFloat32 = ReturnType<Float32ArrayConstructor["of"]>;
export type OwnFloat64 = ReturnType<Float64ArrayConstructor["of"]>;
