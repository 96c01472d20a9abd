import { endAfter, type Span } from "../../../base/tracing.ts";
import type { Catalog } from "../../../catalog/catalog.ts";
import type { createChooseModel } from "../../../workflows/choose-model.ts";
import { fillParameters } from "../../../workflows/fill-parameters.ts";
import type { Model } from "../../../workflows/model-contract.ts";
import type { Filled, FillTask } from "./execute-once.ts";
import type { NodeTask } from "./node-task.ts";

type Options = { catalog: Pick<Catalog, "actions">; chooseModel: ReturnType<typeof createChooseModel> };

/** How much of the node's time is left. */
type LeftTime = { leftMs: () => number };

type Asking = Pick<NodeTask, "node" | "organizationId" | "prompt" | "signal"> &
  Partial<Pick<NodeTask, "trace"> & LeftTime>;

/** What a language model does for a node: fills what its author left empty, and answers. */
export function createAskModel({ catalog, chooseModel }: Options) {
  const modelFor = ({
    node,
    organizationId,
    trace,
  }: Pick<Asking, "node" | "organizationId" | "trace">): Model | undefined => {
    const own = catalog.actions.get(node.type)?.credential;
    const model = chooseModel({ organizationId, credentials: node.credentials, ownTypes: own ? [own.type] : [] });
    return model && trace ? traceModel(model, trace) : model;
  };

  return {
    modelFor,

    async fill(task: Asking, request: FillTask): Promise<Filled> {
      const { node, prompt, signal, leftMs } = task;
      const evaluatedInputs = catalog.actions.get(node.type)?.evaluatedInputs ?? [];
      if (node.instruction === "" && node.runtimeInstruction === "")
        return { parameters: request.parameters, filled: undefined };
      return await fillParameters({
        input: request.input,
        authored: node.parameters,
        parameters: request.parameters,
        upstream: request.item,
        signal,
        leftMs,
        evaluatedInputs,
        evaluate: node.settings.modelMayWriteExpressions ? request.evaluate : undefined,
        instruction: node.instruction,
        runtimeInstruction: node.runtimeInstruction,
        runtimePrompt: prompt,
        model: modelFor(task),
      });
    },

    answerFor(task: NodeTask & LeftTime) {
      const model = modelFor(task);
      return (
        model &&
        ((question: { system: string; prompt: string }) =>
          model.answer({ ...question, signal: task.signal, leftMs: task.leftMs }))
      );
    },
  };
}

/** What was asked and answered stays out of the trace. */
function traceModel({ name, answer, answerAs }: Model, trace: Span): Model {
  const watch = <Value>(work: () => Promise<Value>) => endAfter(trace.begin("model", {}, "client"), work, () => ({}));
  return {
    name,
    answer: (question) => watch(() => answer(question)),
    answerAs: (schema, question) => watch(() => answerAs(schema, question)),
  };
}
