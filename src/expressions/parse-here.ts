import jsonata from "jsonata";
import { describeExpressionFault } from "./expression-fault.ts";
import { bindsClone, cloneFault } from "./inspect-tree.ts";

/** Parsing takes more than twice as long for a text of twice the length: of this one, two milliseconds at most. */
export const longestParsedHere = 500;

// The parser copies what stands before these two, so that each pair of brackets around them doubles the work.
const copies = /\?\s*[?:]/;

/** The syntax tree of an expression, or what is wrong with it; undefined where only a process that can be ended may parse it. */
export function parseHere(text: string): { tree: unknown; fault?: undefined } | { fault: string } | undefined {
  if (text.length > longestParsedHere || copies.test(text)) return undefined;
  try {
    const tree = jsonata(text).ast();
    return bindsClone(tree) ? { fault: cloneFault } : { tree };
  } catch (error) {
    return { fault: describeExpressionFault(error) };
  }
}
