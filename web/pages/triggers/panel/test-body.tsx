import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useId, useState } from "react";
import type { Trigger } from "../../../../src/triggers/wire.ts";
import { testTrigger } from "../../../api/triggers.ts";
import { Button } from "../../../parts/button.tsx";
import { controlLook } from "../../../parts/field.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { ProblemNotice } from "../../../parts/problem-notice.tsx";
import { readJson } from "../../history/read-json.ts";

type TestBodyProps = { organizationId: string; trigger: Trigger };

/** Starts the workflow with a body that somebody writes, without waiting for anybody to send one. */
export function TestBody({ organizationId, trigger }: TestBodyProps) {
  const id = useId();
  const [text, setText] = useState(trigger.kind === "webhook" ? "{}" : "");
  const [fault, setFault] = useState<string>();
  const test = useMutation({
    mutationFn: (payload: unknown) => testTrigger(organizationId, trigger.id, payload === undefined ? {} : { payload }),
  });

  function send(): void {
    const read = text.trim() === "" ? { value: undefined } : readJson(text, "anything");
    setFault("fault" in read ? read.fault : undefined);
    if (!("fault" in read)) test.mutate(read.value);
  }

  return (
    <section aria-label="Test" className="grid gap-2">
      <label htmlFor={id} className="text-sm font-medium">
        Send a test body, as JSON
      </label>
      <textarea
        id={id}
        rows={6}
        spellCheck={false}
        value={text}
        aria-invalid={fault ? true : undefined}
        aria-describedby={`${id}-hint`}
        onChange={(event) => setText(event.target.value)}
        className={`${controlLook} font-mono`}
      />
      {fault && (
        <p role="alert" className="text-sm text-danger">
          {fault}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={test.isPending} onClick={send}>
          <Send className="size-4" aria-hidden="true" />
          Test
        </Button>
        <p id={`${id}-hint`} className="min-w-0 flex-1 basis-48 text-xs text-muted">
          {hints[trigger.kind]} It runs what is published, also while the trigger is off.
        </p>
      </div>
      {test.isError && <ProblemNotice error={test.error} />}
      {test.data && (
        <Notice kind="success">
          A run has started.{" "}
          <Link
            to="/o/$organizationId/runs/$runId"
            params={{ organizationId, runId: test.data.id }}
            className="underline underline-offset-4"
          >
            Open the run
          </Link>
        </Notice>
      )}
    </section>
  );
}

const hints: Record<Trigger["kind"], string> = {
  webhook: "Nodes read it as $trigger.payload.",
  schedule: "Empty, the run gets the moment, as a tick would give it.",
  poll: "Empty, the run gets the newest item of the service.",
};
