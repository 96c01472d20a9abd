import { queryOptions } from "@tanstack/react-query";
import type { FillPreview, PreviewScope, ValuePreview } from "../../src/runs/wire.ts";
import type { Canvas } from "../../src/workflows/wire.ts";
import { get, path, post, query } from "../request.ts";

export type PreviewRequest = PreviewSource & { canvas: Canvas; nodeId: string; value: unknown; expression?: boolean };
export type FillRequest = { canvas: Canvas; nodeId: string; runId?: string };

const base = (organizationId: string, workflowId: string) =>
  path`/api/organizations/${organizationId}/workflows/${workflowId}`;
export const previewsKey = (organizationId: string, workflowId: string) =>
  ["organizations", organizationId, "workflows", "previews", workflowId] as const;

/** Which data a preview takes: without a run the workflow's last one that has any. `progress` tells states of a run apart. */
export type PreviewSource = { runId: string | undefined; progress: number };

export const previewScopeQuery = (organizationId: string, workflowId: string, { runId, progress }: PreviewSource) =>
  queryOptions({
    queryKey: [...previewsKey(organizationId, workflowId), "scope", runId, progress],
    queryFn: () => get<PreviewScope>(`${base(organizationId, workflowId)}/preview-scope${query({ runId })}`),
  });

/** What the value of a field becomes in a run. The canvas is not part of the key: it is large, and mostly the same. */
export const previewValueQuery = (
  organizationId: string,
  workflowId: string,
  { canvas, progress, ...request }: PreviewRequest,
) =>
  queryOptions({
    queryKey: [...previewsKey(organizationId, workflowId), "value", request, progress],
    queryFn: () => post<ValuePreview>(`${base(organizationId, workflowId)}/preview-value`, { canvas, ...request }),
    gcTime: 60_000,
    retry: false,
  });

export const previewFill = (
  organizationId: string,
  workflowId: string,
  { signal, ...request }: FillRequest & { signal: AbortSignal },
) => post<FillPreview>(`${base(organizationId, workflowId)}/preview-fill`, request, signal);
