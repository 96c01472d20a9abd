import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, X } from "lucide-react";
import { useEffect, useRef } from "react";
import type { ToolCall } from "../../../src/history/wire.ts";
import { callQuery } from "../../api/history.ts";
import { useLive } from "../../live.ts";
import { Button } from "../../parts/button.tsx";
import { DataViewer } from "../../parts/data-viewer.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { Status } from "../../parts/status.tsx";
import { ServerIcon } from "../servers/server-icon.tsx";
import { CallActions } from "./call-actions.tsx";
import { CallFacts } from "./call-facts.tsx";

type CallDetailProps = { organizationId: string; recordId: string; onClose: () => void };

/** One call with everything that is known about it: beside the list, or instead of it on a narrow screen. */
export function CallDetail({ organizationId, recordId, onClose }: CallDetailProps) {
  const query = useQuery(callQuery(organizationId, recordId));
  const panel = useRef<HTMLElement>(null);
  useLiveCall(organizationId, recordId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus goes to each record that is opened.
  useEffect(() => panel.current?.focus(), [recordId]);

  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label="Tool call"
      onKeyDown={(event) => event.key === "Escape" && onClose()}
      className="min-w-0 outline-none lg:sticky lg:top-6 lg:max-h-[calc(100dvh-3rem)] lg:w-104 lg:shrink-0 lg:overflow-y-auto lg:rounded-xl lg:border lg:border-line lg:bg-surface lg:p-5 xl:w-120"
    >
      <div className="mb-4 flex items-center justify-between gap-2">
        <Button look="bare" className="-ml-3 lg:hidden" onClick={onClose}>
          <ArrowLeft className="size-4" aria-hidden="true" />
          Back to the list
        </Button>
        <h2 className="text-sm font-semibold max-lg:sr-only">Tool call</h2>
        <Button look="bare" className="px-2! max-lg:hidden" aria-label="Close" onClick={onClose}>
          <X className="size-4" aria-hidden="true" />
        </Button>
      </div>
      {query.isPending && <DetailSkeleton />}
      {query.isError && (
        <ProblemNotice error={query.error} action={<Button onClick={() => query.refetch()}>Try again</Button>} />
      )}
      {query.data && <Whole organizationId={organizationId} call={query.data} />}
    </section>
  );
}

function Whole({ organizationId, call }: { organizationId: string; call: ToolCall }) {
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <ServerIcon serverId={call.serverId} className="size-5" />
        <h3 className="min-w-0 font-mono text-sm font-semibold wrap-anywhere">{call.tool}</h3>
        <Status status={call.status} />
      </div>
      {call.error && (
        <Notice kind={call.status === "cancelled" ? "hint" : "problem"}>
          <p>{call.error.message}</p>
          <p className="mt-1 font-mono text-xs">{call.error.code}</p>
        </Notice>
      )}
      <CallActions organizationId={organizationId} call={call} />
      <CallFacts call={call} />
      {call.sanitized && (
        <Notice kind="hint">
          Something in this call cannot be stored as text, such as half of a character. It was replaced by � where it
          stood.
        </Notice>
      )}
      <Payload title="Parameters" value={call.parameters} isTruncated={call.truncated} />
      {hasEntries(call.credentials) && (
        <Payload
          title="Credentials"
          hint="References only. Secrets are never recorded."
          value={call.credentials}
          isTruncated={call.truncated}
        />
      )}
      {call.outputs !== null && <Payload title="Output" value={call.outputs} isTruncated={call.truncated} />}
      {call.outputs === null && call.status === "running" && (
        <p className="text-sm text-muted">The output appears here when the call ends.</p>
      )}
    </div>
  );
}

type PayloadProps = { title: string; hint?: string; value: unknown; isTruncated: boolean };

function Payload({ title, hint, value, isTruncated }: PayloadProps) {
  const cut = isTruncated ? readMarker(value) : undefined;
  return (
    <section aria-label={title} className="grid min-w-0 grid-cols-1 gap-2">
      <h3 className="text-sm font-semibold">{title}</h3>
      {hint && <p className="-mt-1 text-xs text-muted">{hint}</p>}
      {cut ? (
        <>
          <Notice kind="hint">
            This was too large to be kept whole ({cut.originalBytes.toLocaleString()} bytes). Here is how it begins; the
            rest is gone.
          </Notice>
          <pre className="max-h-80 overflow-auto rounded-lg border border-line bg-page p-3 text-xs wrap-anywhere whitespace-pre-wrap">
            {cut.preview}
          </pre>
        </>
      ) : (
        <DataViewer value={value} label={title.toLowerCase()} />
      )}
    </section>
  );
}

type Marker = { originalBytes: number; preview: string };

function readMarker(value: unknown): Marker | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { originalBytes, preview } = value as Partial<Marker>;
  return typeof originalBytes === "number" && typeof preview === "string" ? { originalBytes, preview } : undefined;
}

const hasEntries = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;

/** Reads the record again when it changes. */
function useLiveCall(organizationId: string, recordId: string): void {
  const queryClient = useQueryClient();
  useLive(organizationId, (event) => {
    const { queryKey } = callQuery(organizationId, recordId);
    const isOpen = !queryClient.getQueryData(queryKey)?.completedAt;
    if (isOpen && (event.kind === "reload" || (event.kind === "tool-call" && event.data.id === recordId)))
      void queryClient.invalidateQueries({ queryKey });
  });
}

function DetailSkeleton() {
  return (
    <Loading what="the call">
      <div className="grid gap-4">
        <Skeleton className="h-6 w-56" />
        <Skeleton className="h-24" />
        <Skeleton className="h-40" />
      </div>
    </Loading>
  );
}
