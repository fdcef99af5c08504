/**
 * Matches regular expressions in linear time, for patterns of schemas that came with data. The
 * engine of the language may take exponential time. A pattern becomes a list of instructions, and
 * all places in it that a text can have reached advance together (Thompson's construction). Single
 * characters are tested by the language's own engine. Not supported, because they have no such
 * form: looking around, references to groups, and the edges of words.
 */

/** Maximum number of instructions of a pattern. Repetitions are written out. */
const MOST_INSTRUCTIONS = 20_000;

type Node =
  | { kind: "character"; test: RegExp }
  | { kind: "start" | "end" }
  | { kind: "all" | "any"; of: Node[] }
  | { kind: "repeat"; of: Node; from: number; to: number };

/** Places that follow, and for a character its test. */
interface Instruction {
  kind: "character" | "start" | "end" | "fork" | "match";
  test?: RegExp;
  next: number[];
}

const refused = (pattern: string) =>
  new Error(`the pattern ${JSON.stringify(pattern.slice(0, 100))} cannot be matched in linear time`);

/** One character: a class, an escape, or itself. The language has checked the whole pattern. */
const CHARACTER =
  /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:[dDwWsStnrvf0]|[pP]\{[^}]*\}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[\^$\\.*+?()[\]{}|/-])|[^\\()|*+?{}[\]^$]/uy;

const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;

class Parser {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  parse(): Node {
    const node = this.#alternatives();
    if (this.#at < this.#pattern.length) throw refused(this.#pattern);
    return node;
  }

  #take(text: string): boolean {
    const isThere = this.#pattern.startsWith(text, this.#at);
    if (isThere) this.#at += text.length;
    return isThere;
  }

  #match(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const found = form.exec(this.#pattern);
    if (found) this.#at = form.lastIndex;
    return found;
  }

  #alternatives(): Node {
    const of = [this.#sequence()];
    while (this.#take("|")) of.push(this.#sequence());
    return { kind: "any", of };
  }

  #sequence(): Node {
    const of: Node[] = [];
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at] as string)) {
      of.push(this.#quantified(this.#atom()));
    }
    return { kind: "all", of };
  }

  #atom(): Node {
    if (this.#take("^")) return { kind: "start" };
    if (this.#take("$")) return { kind: "end" };
    if (this.#take("(")) {
      const isPlain = this.#take("?:") || !this.#take("?") || this.#match(/<[^=!>][^>]*>/y) !== null;
      if (!isPlain) throw refused(this.#pattern);
      const inner = this.#alternatives();
      if (!this.#take(")")) throw refused(this.#pattern);
      return inner;
    }
    const character = this.#match(CHARACTER)?.[0];
    if (character === undefined) throw refused(this.#pattern);
    return { kind: "character", test: new RegExp(`^${character}$`, "u") };
  }

  #quantified(of: Node): Node {
    const found = this.#match(QUANTIFIER);
    if (!found) return of;
    const [, sign, least = "", comma, most = ""] = found;
    const unbounded = Number.POSITIVE_INFINITY;
    if (sign) return { kind: "repeat", of, from: sign === "+" ? 1 : 0, to: sign === "?" ? 1 : unbounded };
    const from = Number(least);
    const to = comma === "" ? from : most === "" ? unbounded : Number(most);
    return { kind: "repeat", of, from, to };
  }
}

/** Writes the instructions of a node, from the last to the first. */
class Program {
  readonly instructions: Instruction[] = [];
  readonly begin: number;

  constructor(pattern: string) {
    this.begin = this.#node(new Parser(pattern).parse(), this.#add({ kind: "match", next: [] }));
  }

  #add(instruction: Instruction): number {
    if (this.instructions.length >= MOST_INSTRUCTIONS) throw new Error("a pattern of the schema is too long");
    return this.instructions.push(instruction) - 1;
  }

  /** Returns the place where the node begins. It goes on at `next`. */
  #node(node: Node, next: number): number {
    switch (node.kind) {
      case "character":
        return this.#add({ kind: "character", test: node.test, next: [next] });
      case "all":
        return node.of.reduceRight((after, each) => this.#node(each, after), next);
      case "any":
        return this.#add({ kind: "fork", next: node.of.map((each) => this.#node(each, next)) });
      case "repeat":
        return this.#repeat(node, next);
      default:
        return this.#add({ kind: node.kind, next: [next] });
    }
  }

  #repeat({ of, from, to }: Extract<Node, { kind: "repeat" }>, next: number): number {
    let begin = next;
    if (to === Number.POSITIVE_INFINITY) {
      const fork: Instruction = { kind: "fork", next: [next] };
      begin = this.#add(fork);
      fork.next.push(this.#node(of, begin));
    }
    for (let at = from; at < to && to !== Number.POSITIVE_INFINITY; at += 1)
      begin = this.#add({ kind: "fork", next: [next, this.#node(of, begin)] });
    for (let at = 0; at < from; at += 1) begin = this.#node(of, begin);
    return begin;
  }
}

/** A pattern, compiled. */
export class LinearPattern {
  readonly #program: Program;

  /** Throws an error for what is no pattern, and for what has no linear form. */
  constructor(pattern: string) {
    new RegExp(pattern, "u");
    this.#program = new Program(pattern);
  }

  /** The number of its instructions. A test takes at most so many steps for each character. */
  get size(): number {
    return this.#program.instructions.length;
  }

  /** Whether it matches a part of the text, as `RegExp.test` does. */
  test(text: string): boolean {
    const characters = [...text];
    let places: number[] = [];
    for (let at = 0; at <= characters.length; at += 1) {
      const reached = this.#reached([...places, this.#program.begin], at === 0, at === characters.length);
      if (!reached) return true;
      const character = characters[at] as string;
      places = reached.flatMap(({ test, next }) => (test?.test(character) ? next : []));
    }
    return false;
  }

  /** The characters that may follow from these places; undefined if the pattern has matched. */
  #reached(places: number[], isStart: boolean, isEnd: boolean): Instruction[] | undefined {
    const seen = new Set<number>();
    const characters: Instruction[] = [];
    for (let place = places.pop(); place !== undefined; place = places.pop()) {
      if (seen.has(place)) continue;
      seen.add(place);
      const instruction = this.#program.instructions[place] as Instruction;
      const { kind, next } = instruction;
      if (kind === "match") return undefined;
      if (kind === "character") characters.push(instruction);
      else if (kind === "fork" || (kind === "start" ? isStart : isEnd)) places.push(...next);
    }
    return characters;
  }
}
