import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { CanvasNode } from "../../../src/workflows/wire.ts";
import { credentialsQuery } from "../../api/credentials.ts";
import { comparisonQuery, draftChangesQuery, type Side } from "../../api/workflows.ts";
import type { Editor } from "../editor/use-editor.ts";
import { type Change, listChanges } from "./list-changes.ts";

type DraftChanges = {
  /** Undefined until they are known, or where there is no draft. After a save those from before stand until the new ones are known. */
  changes: Change[] | undefined;
  isFromBefore: boolean;
  error: unknown;
  tryAgain: () => void;
};

/** What the draft changes of what is published. */
export function useDraftChanges(editor: Editor): DraftChanges {
  const { organizationId, workflow } = editor;
  const query = useQuery({ ...draftChangesQuery(organizationId, workflow), placeholderData: keepPreviousData });
  const { data, error, isPlaceholderData, refetch } = query;
  const describe = useDescribe(editor, editor.canvas.nodes);
  const changes = useMemo(() => data && describe(data), [data, describe]);
  return { changes, isFromBefore: isPlaceholderData, error, tryAgain: () => void refetch() };
}

/** What is different between two versions, or between one and the draft. */
export function useComparison(editor: Editor, sides: [Side, Side], nodes: readonly CanvasNode[]) {
  const { organizationId, workflow } = editor;
  const comparison = useQuery(comparisonQuery(organizationId, workflow, sides));
  const describe = useDescribe(editor, nodes);
  const changes = useMemo(() => comparison.data && describe(comparison.data), [comparison.data, describe]);
  return { comparison, changes };
}

function useDescribe({ organizationId, kinds }: Editor, nodes: readonly CanvasNode[]) {
  const accounts = useQuery(credentialsQuery(organizationId)).data;
  return useMemo(() => {
    const accountName = (reference: string) => accounts?.find((account) => account.reference === reference)?.name;
    return (comparison: Parameters<typeof listChanges>[0]) => listChanges(comparison, { nodes, kinds, accountName });
  }, [accounts, nodes, kinds]);
}
