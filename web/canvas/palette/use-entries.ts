import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { credentialsQuery } from "../../api/credentials.ts";
import { workflowsQuery } from "../../api/workflows.ts";
import type { NodeKind } from "../../catalog.ts";
import { findUsable } from "../edit/start-credentials.ts";
import { offeredStarts } from "../triggers/trigger-kinds.ts";
import type { PickerEntry } from "./search-kinds.ts";
import { startEntry } from "./start-entry.ts";

type Options = {
  organizationId: string;
  workflowId: string;
  kinds: ReadonlyMap<string, NodeKind>;
  isOpen: boolean;
};

/** What starts the workflow, all kinds of nodes, and the workflows that were changed last. Accounts and workflows may come later. */
export function useEntries({ organizationId, workflowId, kinds, isOpen }: Options): PickerEntry[] {
  const accounts = useQuery({ ...credentialsQuery(organizationId), enabled: isOpen }).data;
  const workflows = useInfiniteQuery({
    ...workflowsQuery(organizationId, { search: "", folder: "", tag: "" }),
    enabled: isOpen,
  }).data?.pages[0]?.data;
  return useMemo(() => {
    const own = [...kinds.values()].map((kind) => ({
      id: kind.id,
      kind,
      title: kind.title,
      origin: kind.provider?.title,
      synonyms: kind.synonyms,
      description: kind.description,
      section: kind.section,
      needsAccount: accounts !== undefined && !kind.worksWithoutAccount && findUsable(kind, accounts).length === 0,
    }));
    const call = kinds.get("call_workflow");
    const others = call ? (workflows ?? []).filter(({ id }) => id !== workflowId) : [];
    const called = others.map(({ id, name, description }) => ({
      id: `call_workflow:${id}`,
      kind: call as NodeKind,
      title: name,
      synonyms: call?.synonyms ?? [],
      description: description === "" ? "Call this workflow" : description,
      section: "yours" as const,
      parameters: { workflowId: id },
      needsAccount: false,
    }));
    return [...offeredStarts.map(startEntry), ...own, ...called];
  }, [kinds, accounts, workflows, workflowId]);
}
