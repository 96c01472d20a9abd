import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Run } from "../../../src/runs/wire.ts";
import { type PinHead, triggerPinId } from "../../../src/workflows/pin-wire.ts";
import { previewsKey } from "../../api/previews.ts";
import { runQuery } from "../../api/runs.ts";
import { type EditorRunRequest, pinOutputs, pinsQuery, runInEditor, unpin } from "../../api/steps.ts";
import { isApiProblem } from "../../problem.ts";
import type { Editor } from "../editor/use-editor.ts";
import { saveFirst } from "../running/save-first.ts";
import type { Stepping } from "./stepping-context.ts";

/** A run that would change something outside once more. */
type Question = { nodeIds: string[]; asked: EditorRunRequest };

export type SteppingEvents = {
  onStarted: (runId: string) => void;
  /** A step could not be begun; the panel of its node says why. */
  onFailed: (nodeId: string) => void;
};

/** Runs of what is edited. Where one would repeat a write, it becomes a question. */
export function useStepping(editor: Editor, { onStarted, onFailed }: SteppingEvents) {
  const { organizationId, workflow } = editor;
  const queryClient = useQueryClient();
  const [question, ask] = useState<Question>();

  async function run(asked: EditorRunRequest): Promise<void> {
    await saveFirst(editor);
    try {
      const answer = await runInEditor(organizationId, workflow.id, asked);
      if (isWhole(answer)) queryClient.setQueryData(runQuery(organizationId, answer.id).queryKey, answer);
      onStarted(answer.id);
    } catch (error) {
      const nodeIds = repeatedIn(error);
      if (!nodeIds) throw error;
      ask({ nodeIds, asked });
    }
  }

  const step = useMutation({
    mutationFn: run,
    onError: (_error, { nodeId }) => nodeId !== undefined && onFailed(nodeId),
  });
  const pins = usePins(editor);
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

function usePins({ organizationId, workflow: { id }, readOnly }: Editor): Pick<Stepping, "pins" | "pin" | "unpin"> {
  const queryClient = useQueryClient();
  const query = pinsQuery(organizationId, id);
  const { data = none } = useQuery({ ...query, enabled: !readOnly });
  const pins = useMemo(() => new Map(data.map((pin) => [pin.nodeId, pin])), [data]);
  const refresh = async (nodeId: string) => {
    await queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
    // What expressions give depends on what a run begins with.
    if (nodeId === triggerPinId) await queryClient.invalidateQueries({ queryKey: previewsKey(organizationId, id) });
  };
  return {
    pins,
    pin: async (nodeId, outputs) => {
      await pinOutputs(organizationId, id, nodeId, outputs);
      await refresh(nodeId);
    },
    unpin: async (nodeId) => {
      await unpin(organizationId, id, nodeId);
      await refresh(nodeId);
    },
  };
}

const none: PinHead[] = [];
