import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useParams, useRouter, useSearch } from "@tanstack/react-router";
import { Wrench } from "lucide-react";
import type { RunEntry } from "../../../src/runs/wire.ts";
import type { FoundWorkflow } from "../../../src/workflows/find-wire.ts";
import { findRunsQuery, runQuery } from "../../api/runs.ts";
import { serversQuery } from "../../api/servers.ts";
import { editedCanvasQuery, workflowNamesQuery } from "../../api/workflows.ts";
import { readCanvas } from "../../canvas/edit/read-clip.ts";
import { nodeKindsQuery } from "../../catalog.ts";
import { nodeTitle } from "../../node-form/node-title.ts";
import type { MyOrganization } from "../../session.ts";
import { useTheme } from "../../theme.ts";
import { listActions, listPages } from "./known-places.ts";
import { type Kind, kindIcons, type Place } from "./place.ts";
import { readSign } from "./search-places.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** All there is to find for a text. Workflows and runs are chosen by the server, and come when they are there. */
export function usePlaces(organization: MyOrganization, text: string, only: Kind | undefined): Place[] {
  const { id: organizationId } = organization;
  const { kind = only, rest } = readSign(text);
  const [, chooseTheme] = useTheme();
  const pages = Object.values(useRouter().routesById).flatMap((route) => {
    const entry = route.options.staticData?.navigation;
    return entry ? [{ path: route.fullPath.replace(/\/$/, ""), entry }] : [];
  });
  return [
    ...listPages(pages, organization),
    ...useNodes(organizationId),
    ...useWorkflows(organizationId, kind, rest),
    ...useRuns(organizationId, kind, rest),
    ...useServers(organizationId),
    ...listActions({ organization, chooseTheme }),
  ];
}

/** Of the workflow that is open, as it was saved last. */
function useNodes(organizationId: string): Place[] {
  const { workflowId = "" } = useParams({ strict: false });
  const { run } = useSearch({ strict: false });
  const kinds = useQuery(nodeKindsQuery).data;
  const { data } = useQuery({ ...editedCanvasQuery(organizationId, workflowId), enabled: workflowId !== "" });
  const canvas = readCanvas(data);
  if (!canvas || workflowId === "") return [];
  return canvas.nodes.map(({ id, nodeId }) => ({
    id: `node:${workflowId}:${id}`,
    kind: "node",
    title: nodeTitle(canvas, id, kinds),
    detail: kinds?.get(nodeId)?.title ?? nodeId,
    synonyms: [id.toLowerCase(), ...(kinds?.get(nodeId)?.synonyms ?? [])],
    Icon: kindIcons.node,
    // The run that is shown stays so.
    open: `/o/${organizationId}/workflows/${workflowId}?${new URLSearchParams({ node: id, ...(run && { run }) })}`,
  }));
}

function useWorkflows(organizationId: string, kind: Kind | undefined, rest: string): Place[] {
  const isAsked = kind === "workflow" || (kind === undefined && rest !== "");
  const { data, isPlaceholderData } = useQuery({
    ...workflowNamesQuery(organizationId, rest.toLowerCase()),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  if (!isAsked || !data) return [];
  // Until the answer is there: those of the text before that fit this one as well.
  const isStillFitting = ({ name }: FoundWorkflow) => name.toLowerCase().includes(rest.toLowerCase());
  return (isPlaceholderData ? data.filter(isStillFitting) : data).map(
    ({ id, name, folder, isActive, isPublished }) => ({
      id: `workflow:${id}`,
      kind: "workflow",
      title: name,
      detail: ["Workflow", folder, isActive ? "on" : isPublished ? "off" : "draft"].filter(Boolean).join(" · "),
      synonyms: [],
      Icon: kindIcons.workflow,
      open: `/o/${organizationId}/workflows/${id}`,
    }),
  );
}

function useRuns(organizationId: string, kind: Kind | undefined, rest: string): Place[] {
  const isId = uuid.test(rest);
  const one = useQuery({ ...runQuery(organizationId, rest.toLowerCase()), enabled: isId });
  const listed = useQuery({
    ...findRunsQuery(organizationId, rest),
    enabled: kind === "run" && !isId,
    placeholderData: keepPreviousData,
  });
  const runs: RunEntry[] = isId ? [one.data].filter((run) => run !== undefined) : (listed.data ?? []);
  if (!isId && kind !== "run") return [];
  return runs.map(({ id, workflowName, status, createdAt }) => ({
    id: `run:${id}`,
    kind: "run",
    title: `Run of ${workflowName}`,
    detail: new Date(createdAt).toLocaleString(),
    synonyms: [id],
    Icon: kindIcons.run,
    open: `/o/${organizationId}/runs/${id}`,
    status,
  }));
}

function useServers(organizationId: string): Place[] {
  const servers = useQuery(serversQuery).data ?? [];
  const base = `/o/${organizationId}/servers`;
  return servers.flatMap(({ id, title, tools }): Place[] => [
    {
      id: `server:${id}`,
      kind: "server",
      title,
      detail: `MCP server · ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`,
      synonyms: [id],
      Icon: kindIcons.server,
      open: `${base}/${id}`,
    },
    ...tools.map(
      (tool): Place => ({
        id: `tool:${id}:${tool.name}`,
        kind: "server",
        title: tool.name,
        detail: `${title} · ${tool.title}`,
        synonyms: [tool.name.replaceAll("_", " "), tool.title.toLowerCase()],
        Icon: Wrench,
        open: `${base}/${id}?tool=${encodeURIComponent(tool.name)}`,
      }),
    ),
  ]);
}
