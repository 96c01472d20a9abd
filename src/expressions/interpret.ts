import { compileTree, type Meaning } from "./compile-tree.ts";
import { createSequence, type Frame, isLeft, type List, take, toResult } from "./interpreter-values.ts";
import { longestParsedHere, parseHere } from "./parse-here.ts";

const steps = 10_000;
const most = { organizations: 200, expressions: 300 };

/** By organization, so that what one of them writes does not crowd out what another has. */
const known = new Map<string, Map<string, Meaning | null>>();

/**
 * The value of an expression that is made of the common half of JSONata, without another process: it only reads data, calls nothing, and
 * ends after so many steps. Undefined where JSONata itself has to evaluate: what is not known here, takes long, or fails.
 */
export function interpret(
  organizationId: string,
  text: string,
  { input, bindings }: { input: unknown; bindings: Record<string, unknown> },
): { value: unknown } | undefined {
  const meaning = text.length <= longestParsedHere ? meaningOf(organizationId, text) : null;
  if (!meaning) return undefined;
  const frame: Frame = { root: input, bindings, stepsLeft: steps };
  try {
    return { value: toResult(meaning(wrap(input), frame), frame) };
  } catch (error) {
    // Of a deep value, when the stack is not long enough.
    if (isLeft(error) || error instanceof RangeError) return undefined;
    throw error;
  }
}

function wrap(input: unknown): unknown {
  if (!Array.isArray(input)) return take(input);
  const list: List = createSequence(input);
  list.isOuterWrapper = true;
  return list;
}

function meaningOf(organizationId: string, text: string): Meaning | null {
  const own = ownOf(organizationId);
  const ready = own.get(text);
  if (ready !== undefined) return ready;
  const parsed = parseHere(text);
  const meaning = (parsed && "tree" in parsed && compileTree(parsed.tree)) || null;
  if (own.size >= most.expressions) own.clear();
  own.set(text, meaning);
  return meaning;
}

function ownOf(organizationId: string): Map<string, Meaning | null> {
  const own = known.get(organizationId) ?? new Map<string, Meaning | null>();
  // The one used last goes to the end, so that the first is the one that was not needed for the longest time.
  known.delete(organizationId);
  known.set(organizationId, own);
  const [oldest] = known.keys();
  if (known.size > most.organizations && oldest !== undefined) known.delete(oldest);
  return own;
}
