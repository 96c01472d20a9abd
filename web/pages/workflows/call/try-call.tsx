import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import type { RunEntry } from "../../../../src/runs/wire.ts";
import { Button } from "../../../parts/button.tsx";
import { CopyBlock } from "../../../parts/copy-block.tsx";
import { controlLook } from "../../../parts/field.tsx";
import { ProblemNotice } from "../../../parts/problem-notice.tsx";
import { Status } from "../../../parts/status.tsx";
import type { Call } from "./call.ts";
import { type Answer, readExecution, sendCall } from "./send-call.ts";

type TryCallProps = { organizationId: string; workflowId: string; call: Call | undefined };

/** Sends the call for real. The key stays in the memory of this page. */
export function TryCall({ organizationId, workflowId, call }: TryCallProps) {
  const id = useId();
  const [key, setKey] = useState("");
  const send = useMutation({ mutationFn: (wanted: Call) => sendCall(wanted, key.trim()) });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (call && !send.isPending) send.mutate(call);
  }

  return (
    <section aria-labelledby={`${id}-title`} className="grid min-w-0 gap-3 border-t border-line pt-5">
      <h3 id={`${id}-title`} className="text-sm font-semibold">
        Try it
      </h3>
      <form onSubmit={submit} className="grid gap-1.5">
        <label htmlFor={id} className="text-sm font-medium">
          API key
        </label>
        <div className="flex gap-2">
          <input
            id={id}
            type="password"
            required
            autoComplete="off"
            placeholder="swy_…"
            value={key}
            onChange={(event) => setKey(event.target.value)}
            aria-describedby={`${id}-hint`}
            className={`${controlLook} font-mono`}
          />
          <Button type="submit" look="primary" busy={send.isPending} disabled={!call} className="shrink-0">
            <Send className="size-4" aria-hidden="true" />
            Send
          </Button>
        </div>
        <p id={`${id}-hint`} className="text-xs text-muted">
          Starts a real run. The key is not stored; it is gone when you leave the page.
        </p>
      </form>
      {send.isError && <ProblemNotice error={send.error} />}
      {send.data && (
        <>
          <CopyBlock label={`Answer: status ${send.data.status}`} text={show(send.data.body)} />
          <FollowedRun
            key={runIdOf(send.data)}
            organizationId={organizationId}
            workflowId={workflowId}
            answer={send.data}
            apiKey={key.trim()}
          />
        </>
      )}
    </section>
  );
}

type FollowedRunProps = { organizationId: string; workflowId: string; answer: Answer; apiKey: string };

const pauseMs = 700;
const isEnded = (run: Partial<RunEntry> | undefined) =>
  ["succeeded", "failed", "cancelled"].includes(run?.status ?? "");

function FollowedRun({ organizationId, workflowId, answer, apiKey }: FollowedRunProps) {
  const runId = runIdOf(answer);
  const execution = useQuery({
    queryKey: ["organizations", organizationId, "workflows", "called", workflowId, runId],
    queryFn: () => readExecution(runId ?? "", apiKey),
    enabled: runId !== undefined && !isEnded(asRun(answer)),
    refetchInterval: ({ state }) =>
      state.data && (state.data.status !== 200 || isEnded(asRun(state.data))) ? false : pauseMs,
    gcTime: 0,
  }).data;
  if (runId === undefined) return null;
  const run = execution?.status === 200 ? asRun(execution) : asRun(answer);
  const result = "result" in run ? run.result : undefined;
  return (
    <>
      <p role="status" className="flex flex-wrap items-center gap-2 text-sm">
        {run.status && <Status status={run.status} />}
        {run.error && <span className="text-danger wrap-anywhere">{run.error.message}</span>}
        <Link
          to="/o/$organizationId/runs/$runId"
          params={{ organizationId, runId }}
          className="text-accent underline underline-offset-4"
        >
          Open the run
        </Link>
      </p>
      {execution && result != null && <CopyBlock label="Result of the run" text={show(result)} />}
    </>
  );
}

const asRun = ({ body }: Answer) =>
  (typeof body === "object" && body !== null ? body : {}) as Partial<RunEntry> & { result?: unknown };

const runIdOf = (answer: Answer): string | undefined => (answer.status < 300 ? asRun(answer).id : undefined);

const show = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
