import type { EngineNode } from "../engine-node.ts";
import { aggregate } from "./aggregate.ts";
import { aiAnswer } from "./ai-answer.ts";
import { callWorkflow } from "./call-workflow.ts";
import { condition } from "./condition.ts";
import { dedupe } from "./dedupe.ts";
import { filter } from "./filter.ts";
import { loop } from "./loop.ts";
import { merge } from "./merge.ts";
import { respond } from "./respond.ts";
import { setFields } from "./set-fields.ts";
import { sortAndLimit } from "./sort-and-limit.ts";
import { start } from "./start.ts";
import { stop } from "./stop.ts";
import { switchNode } from "./switch.ts";
import { transform } from "./transform.ts";
import { wait } from "./wait.ts";

const all = [
  start,
  condition,
  switchNode,
  merge,
  loop,
  setFields,
  filter,
  sortAndLimit,
  aggregate,
  dedupe,
  transform,
  wait,
  callWorkflow,
  respond,
  stop,
  aiAnswer,
];

/** The built-in nodes by id, in the order in which people are offered them. */
export const engineNodes: ReadonlyMap<string, EngineNode> = new Map(all.map((node) => [node.id, node]));
