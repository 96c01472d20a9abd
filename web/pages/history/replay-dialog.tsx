import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ToolCall } from "../../../src/history/wire.ts";
import { replayCall } from "../../api/history.ts";
import { nodeKindsQuery } from "../../catalog.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { isApiProblem } from "../../problem.ts";
import { JsonField } from "./json-field.tsx";
import { readJson } from "./read-json.ts";
import { useHistorySearch } from "./use-history-search.ts";

type ReplayDialogProps = { organizationId: string; call: ToolCall; onClose: () => void };

/** Calls the tool again, as it was or with other parameters; the new record is shown then. */
export function ReplayDialog({ organizationId, call, onClose }: ReplayDialogProps) {
  const { change } = useHistorySearch();
  const kinds = useQuery(nodeKindsQuery);
  const recorded = call.truncated ? "" : JSON.stringify(call.parameters, null, 2);
  const [text, setText] = useState(recorded);
  const [isConfirmed, setConfirmed] = useState(false);
  const parsed = readJson(text, "object");
  const replay = useMutation({
    mutationFn: () => {
      if ("fault" in parsed) throw new Error(parsed.fault);
      return replayCall(organizationId, call.id, {
        ...(text === recorded ? {} : { parameters: parsed.value as Record<string, unknown> }),
        ...(isConfirmed && { confirm: true }),
      });
    },
    onSuccess: ({ id }) => {
      onClose();
      change({ record: id });
    },
  });
  // A tool that is not in the catalog is a workflow, and what that does nobody knows.
  const asks = !kinds.data?.get(call.tool)?.hints?.readOnly;
  const isReady = !("fault" in parsed) && (!asks || isConfirmed);

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Replay this call"
      description="It runs now, in your name, and is recorded like every call."
    >
      <form
        className="grid grid-cols-1 gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !replay.isPending) replay.mutate();
        }}
      >
        {call.truncated && (
          <Notice kind="hint">The parameters were too large to be kept whole. Enter them again.</Notice>
        )}
        <JsonField
          label="Parameters"
          text={text}
          fault={"fault" in parsed ? parsed.fault : undefined}
          onChange={setText}
        />
        {asks && <Confirmation tool={call.tool} isConfirmed={isConfirmed} onChange={setConfirmed} />}
        {replay.isError && <ReplayProblem error={replay.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            busy={replay.isPending}
            disabled={!isReady}
            className="disabled:opacity-50"
          >
            Replay
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type ConfirmationProps = { tool: string; isConfirmed: boolean; onChange: (isConfirmed: boolean) => void };

function Confirmation({ tool, isConfirmed, onChange }: ConfirmationProps) {
  return (
    <label className="flex items-start gap-2.5 rounded-lg bg-warning-soft px-4 py-3 text-sm text-warning">
      <input
        type="checkbox"
        className="mt-0.5 size-4"
        checked={isConfirmed}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        Yes, run it again, although <span className="font-medium">{tool}</span> may change something outside of
        Switchyard.
      </span>
    </label>
  );
}

function ReplayProblem({ error }: { error: unknown }) {
  const faults = isApiProblem(error) ? error.errors.slice(1) : [];
  return (
    <ProblemNotice error={error}>
      {faults.map(({ pointer, detail }) => (
        <p key={pointer}>
          {pointer} {detail}
        </p>
      ))}
    </ProblemNotice>
  );
}
