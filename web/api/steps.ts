import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { AcceptedEditorRun, editorRunBody } from "../../src/runs/editor-wire.ts";
import type { Run } from "../../src/runs/wire.ts";
import type { Pin, PinHead } from "../../src/workflows/pin-wire.ts";
import { get, type List, path, post, put, remove } from "../request.ts";
import { workflowsKey } from "./workflows.ts";

export type EditorRunRequest = z.input<typeof editorRunBody>;
export type Outputs = Pin["outputs"];

const draft = (organizationId: string, workflowId: string) =>
  path`/api/organizations/${organizationId}/workflows/${workflowId}/draft`;
const pinOf = (organizationId: string, workflowId: string, nodeId: string) =>
  draft(organizationId, workflowId) + path`/pins/${nodeId}`;

/** Most steps are over by then, and their data comes with the answer. A run of everything is shown while it goes on. */
const patienceOf = ({ mode }: EditorRunRequest) => (mode === "all" ? undefined : { prefer: "wait=1" });

/** The run, where it ended soon; otherwise what tells where it is. */
export const runInEditor = (organizationId: string, workflowId: string, body: EditorRunRequest) =>
  post<Run | AcceptedEditorRun>(`${draft(organizationId, workflowId)}/runs`, body, undefined, patienceOf(body));

export const pinsQuery = (organizationId: string, workflowId: string) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "pins", workflowId],
    queryFn: async () => (await get<List<PinHead>>(`${draft(organizationId, workflowId)}/pins`)).data,
  });

export const pinQuery = (organizationId: string, workflowId: string, pin: Pick<PinHead, "nodeId" | "pinnedAt">) =>
  queryOptions({
    queryKey: [...workflowsKey(organizationId), "pins", workflowId, pin.nodeId, pin.pinnedAt],
    queryFn: () => get<Pin>(pinOf(organizationId, workflowId, pin.nodeId)),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const pinOutputs = (organizationId: string, workflowId: string, nodeId: string, outputs: Outputs) =>
  put<Pin>(pinOf(organizationId, workflowId, nodeId), { outputs });

export const unpin = (organizationId: string, workflowId: string, nodeId: string) =>
  remove(pinOf(organizationId, workflowId, nodeId));
