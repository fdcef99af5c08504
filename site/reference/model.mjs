/**
 * The public names of the package as plain data: what the declarations say of each, and what its
 * doc comments say. TypeDoc reads the sources (`typedoc.mjs`). The pages are made of this alone.
 */
import { join } from "node:path";
import { ROOT } from "../../scripts/run_command.mjs";
import { commentOf } from "./comments.mjs";
import { entriesOfPackage } from "./entries.mjs";
import { placeOf } from "./members.mjs";
import { readerOf, tokensWithin } from "./reader.mjs";
import { convert, sourceOf } from "./typedoc.mjs";
import { namesIn } from "./types.mjs";

/** The names that modules export, with their declarations. A name may have a type and a value. */
function exportsOf(modules, entries) {
  const found = new Map();
  for (const [at, module] of modules.entries())
    for (const child of module.children ?? []) {
      const target = child.isReference() ? child.getTargetReflectionDeep() : child;
      const name = child.name === "default" ? target.name : child.name;
      const known = found.get(name) ?? { name, targets: [], entries: [], isDefaultOf: [] };
      found.set(name, known);
      const entry = entries[at].name;
      if (!known.targets.includes(target)) known.targets.push(target);
      if (child.name === "default") known.isDefaultOf.push(entry);
      else if (!known.entries.includes(entry)) known.entries.push(entry);
    }
  return [...found.values()];
}

/** The declaration that is a value, and the one that is a type. Throws if there are more. */
function partsOf({ name, targets }, { ReflectionKind }) {
  const { Variable, Function: Callable, Class } = ReflectionKind;
  const values = targets.filter(({ kind }) => kind & (Variable | Callable | Class));
  const types = targets.filter((target) => !values.includes(target));
  if (values.length < 2 && types.length < 2) return { value: values[0], type: types[0] };
  throw new Error(`entries export different things by the name ${name}`);
}

function readItem(exported, reader, { typedoc }) {
  const { value, type } = partsOf(exported, typedoc);
  const { Class, Function: Callable } = typedoc.ReflectionKind;
  const own = value ?? type;
  const read = () => {
    if (value?.kind === Class) return reader.classOf(value);
    if (value?.kind === Callable) return reader.functionOf(value);
    // A class that is an interface and a constant, as those of elements are.
    if (type) return reader.typeOf(type);
    return reader.constantOf(value);
  };
  const comment = commentOf((type ?? value).comment ?? value?.comment);
  const { name, entries, isDefaultOf } = exported;
  const item = { comment, ...read(), name, entries, isDefaultOf, isValue: value !== undefined };
  return { ...item, place: placeOf(own) };
}

/** The same without TypeDoc's objects: of a type without an export, only that it is one. */
const plain = (item) =>
  JSON.parse(JSON.stringify(item, (key, value) => (key === "unexported" ? true : value)));

/** The public names that an item mentions, without its own. */
const usesOf = (item) => [...new Set(namesIn(tokensWithin(item)))].filter((name) => name !== item.name);

/** Plain data of what sources export, for entries with the names of `entries`. */
export async function modelOf(sources, entries, options) {
  const converted = await convert(sources, options);
  const exported = exportsOf(converted.modules, entries);
  const names = new Map(exported.flatMap(({ name, targets }) => targets.map((target) => [target, name])));
  const reader = readerOf(converted, (reflection) => names.get(reflection));
  const items = exported.map((one) => plain(readItem(one, reader, converted)));
  return { entries, items: items.map((item) => ({ ...item, uses: usesOf(item) })) };
}

let known;

/** Resolves to the model of the package, which is made once. */
export function readModel() {
  known ??= readPackage();
  return known;
}

async function readPackage() {
  const entries = entriesOfPackage();
  const withPage = entries.filter(({ hasPage }) => hasPage);
  const sources = withPage.map(({ entry }) => sourceOf(entry));
  const { items } = await modelOf(sources, withPage, { tsconfig: join(ROOT, "tsconfig.json") });
  return { entries, items };
}
