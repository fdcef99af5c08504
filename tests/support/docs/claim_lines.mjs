/**
 * What a comment behind a statement states, made into a check. A comment is a statement of a result
 * if it begins as a value does, with `≈` before a rounded number, or with `throws`:
 *
 *     array.shape; // [24, 180, 360]
 *     const units = time.units; // "days since 1900-01-01"
 *     data; // Float32Array(4) [1, 2, …]
 *     mean; // ≈ 287.4
 *     await zarr.open(missing); // throws NotFoundError
 *
 * All other comments are prose. A statement of a result must stand behind a whole statement.
 */
const LINE = /^(\s*)(.*);\s+\/\/ (.+)$/;
const VALUE = /^(\[|\{|"|≈|-?\d|-?Infinity\b|true\b|false\b|null\b|undefined\b|NaN\b|[A-Z]\w*Array\()/;
const THROWS = /^throws (\w+)$/;
const DECLARED = /^(?:const|let) (\w+) = /;

/** The line with a check behind it, if its comment states a result. */
export function checkClaim(line, place) {
  const match = LINE.exec(line);
  if (!match) return line;
  const [, indent, code, comment] = match;
  const at = JSON.stringify(place);
  const thrown = THROWS.exec(comment);
  if (thrown) return `${indent}await __rejects(${at}, async () => { ${code}; }, "${thrown[1]}");`;
  if (!VALUE.test(comment)) return line;
  const stated = JSON.stringify(comment);
  const declared = DECLARED.exec(code);
  if (declared) return `${indent}${code}; __claim(${at}, ${declared[1]}, ${stated});`;
  return `${indent}__claim(${at}, ${code}, ${stated});`;
}
