/**
 * Makes a ZIP archive without compression, which tests drop on a page. See APPNOTE 6.3.10, §4.3.
 */

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = CRC[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

/** Numbers of two or four bytes in little-endian order. */
function packed(...fields) {
  return Uint8Array.from(
    fields.flatMap(([size, value]) => Array.from({ length: size }, (_, at) => (value >>> (8 * at)) & 255)),
  );
}

/** `files` are pairs of name and bytes. */
export function storedZip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, bytes] of files) {
    const title = new TextEncoder().encode(name);
    const facts = [
      [4, crc32(bytes)],
      [4, bytes.length],
      [4, bytes.length],
      [2, title.length],
      [2, 0],
    ];
    const head = packed([4, 0x04034b50], [2, 20], [2, 0], [2, 0], [4, 0], ...facts);
    parts.push(head, title, bytes);
    const entry = packed([4, 0x02014b50], [2, 20], [2, 20], [2, 0], [2, 0], [4, 0], ...facts);
    directory.push(entry, packed([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), title);
    offset += head.length + title.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const count = files.length;
  const end = packed([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0]);
  return new Blob([...parts, ...directory, end]);
}
