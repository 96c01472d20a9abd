import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Run, RunNode } from "../../../src/runs/wire.ts";
import { type PinHead, triggerPinId } from "../../../src/workflows/pin-wire.ts";
import { previewsKey } from "../../api/previews.ts";
import { runQuery } from "../../api/runs.ts";
import { type EditorRunRequest, type Outputs, pinOutputs, pinsQuery, runInEditor, unpin } from "../../api/steps.ts";
import { isApiProblem } from "../../problem.ts";
import type { Editor } from "../editor/use-editor.ts";
import { saveFirst } from "../running/save-first.ts";
import type { Stepping } from "./stepping-context.ts";

/** A run that would change something outside once more. */
type Question = { nodeIds: string[]; asked: EditorRunRequest };

export type SteppingEvents = {
  onStarted: (runId: string) => void;
  /** A run could not be begun. Of a step the panel of its node says why. */
  onFailed: (nodeId: string | undefined) => void;
};

/** Runs of what is edited. Where one would repeat a write, it becomes a question. */
export function useStepping(editor: Editor, shown: Run | undefined, { onStarted, onFailed }: SteppingEvents) {
  const { organizationId, workflow } = editor;
  const queryClient = useQueryClient();
  const [question, ask] = useState<Question>();

  async function run(asked: EditorRunRequest): Promise<void> {
    try {
      await saveFirst(editor);
      const answer = await runInEditor(organizationId, workflow.id, asked);
      if (isWhole(answer)) queryClient.setQueryData(runQuery(organizationId, answer.id).queryKey, answer);
      onStarted(answer.id);
    } catch (error) {
      const nodeIds = repeatedIn(error);
      if (nodeIds) return ask({ nodeIds, asked });
      onFailed(asked.nodeId);
      throw error;
    }
  }

  const step = useMutation({ mutationFn: run });
  const pins = usePins(editor, shown, onFailed);
  const stepping: Stepping = {
    ...pins,
    step: (nodeId, mode) => !step.isPending && step.mutate({ mode, nodeId }),
    runAll: ({ prompt, payload }) => run({ mode: "all", payload, ...(prompt && { prompt }) }),
    busyId: step.isPending ? step.variables.nodeId : undefined,
    problem: step.error ? { nodeId: step.variables.nodeId ?? "", error: step.error } : undefined,
  };
  return { stepping, question, run, dismiss: () => ask(undefined) };
}

const isWhole = (answer: Awaited<ReturnType<typeof runInEditor>>): answer is Run => "trigger" in answer;

function repeatedIn(error: unknown): string[] | undefined {
  if (!isApiProblem(error) || error.code !== "write_repeated") return undefined;
  return error.errors.map(({ pointer }) => pointer.replace(/^\/nodes\//, ""));
}

type Pinning = Pick<Stepping, "pins" | "pin" | "unpin" | "outputsOf" | "pinOutput" | "unpinOutput" | "pinning">;

function usePins(
  { organizationId, workflow: { id }, readOnly }: Editor,
  shown: Run | undefined,
  onFailed: SteppingEvents["onFailed"],
): Pinning {
  const queryClient = useQueryClient();
  const query = pinsQuery(organizationId, id);
  const { data = none } = useQuery({ ...query, enabled: !readOnly });
  const pins = useMemo(() => new Map(data.map((pin) => [pin.nodeId, pin])), [data]);
  const refresh = async (nodeId: string) => {
    await queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
    // What expressions give depends on what a run begins with.
    if (nodeId === triggerPinId) await queryClient.invalidateQueries({ queryKey: previewsKey(organizationId, id) });
  };
  const pin = async (nodeId: string, outputs: Outputs) => {
    await pinOutputs(organizationId, id, nodeId, outputs);
    await refresh(nodeId);
  };
  const takeAway = async (nodeId: string) => {
    await unpin(organizationId, id, nodeId);
    await refresh(nodeId);
  };
  const outputsOf = (nodeId: string) => readOutputs(shown?.nodes.find((node) => node.id === nodeId));
  const pinning = useMutation({
    mutationFn: ({ nodeId, outputs }: { nodeId: string; outputs: Outputs | undefined }) =>
      outputs ? pin(nodeId, outputs) : takeAway(nodeId),
    onError: (_error, { nodeId }) => onFailed(nodeId),
  });
  return {
    pins,
    pin,
    unpin: takeAway,
    outputsOf,
    pinOutput: (nodeId) => {
      const outputs = pins.has(nodeId) ? undefined : outputsOf(nodeId);
      if (outputs && !pinning.isPending) pinning.mutate({ nodeId, outputs });
    },
    unpinOutput: (nodeId) => !pinning.isPending && pinning.mutate({ nodeId, outputs: undefined }),
    pinning: pinning.variables && {
      nodeId: pinning.variables.nodeId,
      isPending: pinning.isPending,
      error: pinning.error,
    },
  };
}

const none: PinHead[] = [];

/** By way out, in the order in which a run lists them. */
function readOutputs(own: RunNode | undefined): Outputs | undefined {
  if (own?.status !== "succeeded" || own.outputs === null) return undefined;
  const { outputs, ways } = own;
  let from = 0;
  return Object.fromEntries(
    Object.entries(ways).map(([way, count]) => {
      from += count;
      return [way, outputs.slice(from - count, from)];
    }),
  );
}
