import { Refusal } from "../base/refusal.ts";
import { type Evaluated, evaluateExpressions } from "../expressions/evaluate-expressions.ts";
import type { Scope } from "./engine-node.ts";
import { isExpressionField, isInField } from "./expression-fields.ts";
import { isLongerThan } from "./measure-json.ts";
import {
  createReferenceCount,
  type Expression,
  type ParsedText,
  type PlainPath,
  parseExpression,
  parseText,
  writePath,
} from "./parse-references.ts";
import { escapeKey } from "./references.ts";
import { type Seen, walkPath } from "./walk-path.ts";

type Options = {
  /** Whose expressions these are: nobody else's are evaluated where they are. */
  organizationId: string;
  /** As of `expressionFieldsOf`. */
  expressionFields?: readonly string[];
  /** As of `nullableFieldsOf`. */
  nullableFields?: readonly string[];
  /** Whether texts elsewhere stay as they are, as those do that a model wrote. */
  onlyExpressionFields?: boolean;
  signal?: AbortSignal | undefined;
};

const longestResult = 10_000_000;

/**
 * The parameters with every reference replaced by what it refers to. A reference that cannot be resolved is refused and names its path.
 * An expression field that is empty is left out, and one that finds nothing becomes null, a plain path as well; so does a field that may find nothing. What is not a plain path is evaluated outside this
 * process, all at once.
 */
export async function resolveParameters(
  parameters: Record<string, unknown>,
  scope: Scope,
  { organizationId, signal, ...fields }: Options,
): Promise<Record<string, unknown>> {
  const seen = { ...scope, trigger: { ...scope.trigger, prompt: scope.trigger.prompt ?? "" } };
  const questions = createQuestions(seen, createPairs(scope, seen));
  const build = createPlan(questions, fields)(parameters, "");
  await questions.answer(organizationId, signal);
  const resolved = build() as Record<string, unknown>;
  if (isLongerThan(resolved, longestResult)) throw tooLong();
  return resolved;
}

/** Stands for a value that may only be known once all expressions were evaluated. */
type Later = () => unknown;

type Questions = ReturnType<typeof createQuestions>;

/** Collects what has to be evaluated outside, so that it is asked in one message. */
function createQuestions(seen: Seen, bindPairs: (expression: Expression, pointer: string) => void) {
  const asked: { expression: Expression; pointer: string }[] = [];
  let evaluated: Evaluated[] = [];
  const countReference = createReferenceCount();

  return {
    /** Undefined where it finds nothing; a plain path then says how far it leads, unless it may lead nowhere. */
    ask(expression: Expression, pointer: string, mayFindNothing = false): Later {
      const tooMany = countReference(expression.source);
      if (tooMany !== undefined) throw refuseAt(pointer, tooMany);
      bindPairs(expression, pointer);
      const walked = expression.path && walkPath(expression.path, seen);
      if (walked && "missing" in walked) {
        if (mayFindNothing) return () => undefined;
        throw unresolved(expression, pointer, walked.missing);
      }
      if (walked) return () => walked.value;
      const place = asked.push({ expression, pointer }) - 1;
      return () => {
        const outcome = evaluated[place];
        if (outcome?.fault !== undefined) throw refuseAt(pointer, `has an expression that failed: ${outcome.fault}`);
        return outcome?.value;
      };
    },

    async answer(organizationId: string, signal: AbortSignal | undefined): Promise<void> {
      if (asked.length === 0) return;
      const expressions = asked.map(({ expression }) => expression);
      const texts = expressions.map(({ jsonata }) => jsonata);
      evaluated = await evaluateExpressions(organizationId, texts, {
        input: undefined,
        bindings: bindingsFor(expressions, seen),
        signal,
      });
    },
  };
}

/** Adds to the nodes that an expression asks for it the item that the incoming one came from. A copy: others see the same nodes. */
function createPairs({ pairOf }: Scope, seen: { nodes: Scope["nodes"] }) {
  const bound = new Set<string>();
  return ({ pairs, source }: Expression, pointer: string): void => {
    for (const id of pairs.filter((one) => !bound.has(one))) {
      const pair = pairOf?.(id) ?? { fault: `there is no item that came from ${id}` };
      if ("fault" in pair)
        throw refuseUnresolved(pointer, `refers to ${source}, which cannot be resolved: ${pair.fault}`);
      if (bound.size === 0) seen.nodes = { ...seen.nodes };
      bound.add(id);
      const { items = [], first = undefined } = seen.nodes[id] ?? {};
      seen.nodes[id] = Object.assign({ items, first }, pair);
    }
  };
}

type Fields = Pick<Options, "expressionFields" | "nullableFields" | "onlyExpressionFields">;

function createPlan(
  { ask }: Questions,
  { expressionFields = [], nullableFields = [], onlyExpressionFields = false }: Fields,
) {
  let room = longestResult;

  const askForSomething = (expression: Expression, pointer: string, instead?: unknown): Later => {
    const later = ask(expression, pointer, instead !== undefined);
    if (instead !== undefined) return () => later() ?? instead;
    return () => {
      const value = later();
      if (value === undefined) throw unresolved(expression, pointer);
      return value;
    };
  };

  const writeText = (value: unknown): string => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    room -= text.length;
    if (room < 0) throw tooLong();
    return text;
  };

  const planField = (text: string, pointer: string): Later => {
    if (text.trim() === "") return () => undefined;
    const later = ask(parseExpression(text), pointer, true);
    return () => later() ?? null;
  };

  const planParts = ({ exact, parts }: ParsedText, pointer: string): Later => {
    const mayFindNothing = isInField(pointer, nullableFields);
    if (exact) return askForSomething(exact, pointer, mayFindNothing ? null : undefined);
    const laters = parts.map((part) =>
      typeof part === "string" ? () => part : askForSomething(part, pointer, mayFindNothing ? "" : undefined),
    );
    return () => laters.map((later) => writeText(later())).join("");
  };

  const planText = (text: string, pointer: string): Later => {
    if (isExpressionField(pointer, expressionFields)) return planField(text, pointer);
    if (onlyExpressionFields || (!text.startsWith("$") && !text.includes("{{"))) return () => text;
    const parsed = parseText(text);
    if (parsed.fault !== undefined) throw refuseAt(pointer, `has a reference that cannot be read: ${parsed.fault}`);
    return planParts(parsed, pointer);
  };

  const plan = (value: unknown, pointer: string): Later => {
    if (typeof value === "string") return planText(value, pointer);
    if (typeof value !== "object" || value === null) return () => value;
    const entries = Object.entries(value).map(([key, entry]): [string, Later] => [
      key,
      plan(entry, `${pointer}/${escapeKey(key)}`),
    ]);
    if (Array.isArray(value)) return () => entries.map(([, later]) => later());
    return () =>
      Object.fromEntries(
        entries.map(([key, later]) => [key, later()] as const).filter(([, entry]) => entry !== undefined),
      );
  };
  return plan;
}

/** Only what the expressions mention, because all of it is sent to another process. */
function bindingsFor(expressions: Expression[], seen: Seen): Record<string, unknown> {
  const roots = new Set(expressions.flatMap((expression) => [...expression.roots]));
  const bindings: Record<string, unknown> = Object.fromEntries([...roots].map((root) => [root, seen[root]]));
  if (!roots.has("nodes") || expressions.some(({ usesAnyNode }) => usesAnyNode)) return bindings;
  const named = new Set(expressions.flatMap(({ nodeIds }) => nodeIds));
  return {
    ...bindings,
    nodes: Object.fromEntries(Object.entries(seen.nodes as Scope["nodes"]).filter(([id]) => named.has(id))),
  };
}

function unresolved({ source }: Expression, pointer: string, missing?: PlainPath): Refusal {
  const end = missing && writePath(missing);
  const reason = end === undefined || end === source ? "" : `: there is nothing at ${end}`;
  return refuseUnresolved(pointer, `refers to ${source}, which cannot be resolved${reason}`);
}

const refuseUnresolved = (pointer: string, detail: string): Refusal =>
  new Refusal("reference_unresolved", `${fieldOf(pointer)} ${detail}.`, { errors: [{ pointer, detail }] });

const refuseAt = (pointer: string, detail: string): Refusal =>
  new Refusal("validation_failed", `${fieldOf(pointer)} ${detail}.`, { errors: [{ pointer, detail }] });

const tooLong = (): Refusal =>
  new Refusal("validation_failed", `The parameters have more than ${longestResult} characters.`);

const fieldOf = (pointer: string): string => pointer.slice(1).replaceAll("/", ".");
