import { Radio } from "lucide-react";
import type { ToolCallEntry } from "../../../src/history/wire.ts";
import type { Server } from "../../api/servers.ts";
import { CopyBlock } from "../../parts/copy-block.tsx";
import { firstCall, keyPlaceholder, writeCurl } from "../servers/client-snippets.ts";
import { CallRows } from "./call-rows.tsx";
import { Step } from "./step.tsx";

type ArriveStepProps = {
  number: number;
  organizationId: string;
  server: Server | undefined;
  keyText: string | undefined;
  calls: ToolCallEntry[];
};

export function ArriveStep({ number, organizationId, server, keyText, calls }: ArriveStepProps) {
  const { serverId: _, ...request } = firstCall;
  return (
    <Step number={number} title="See the call arrive" isDone={calls.length > 0}>
      {calls.length === 0 && (
        <>
          <p className="text-sm text-muted">Ask your client what time it is, or send the call from a terminal.</p>
          {server && (
            <CopyBlock label="Run in a terminal" text={writeCurl(server.url, keyText ?? keyPlaceholder, request)} />
          )}
          <p role="status" className="flex items-center gap-2 text-sm text-muted">
            <Radio className="size-4 shrink-0 text-accent motion-safe:animate-pulse" aria-hidden="true" />
            Waiting for the first call. It appears here by itself.
          </p>
        </>
      )}
      {calls.length > 0 && <CallRows organizationId={organizationId} calls={calls} />}
    </Step>
  );
}
