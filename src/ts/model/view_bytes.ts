/**
 * Returns the bytes of a typed array or `DataView`, without copying them.
 */
export const viewBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
