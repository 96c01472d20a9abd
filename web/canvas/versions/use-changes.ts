import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { CanvasNode } from "../../../src/workflows/wire.ts";
import { credentialsQuery } from "../../api/credentials.ts";
import { comparisonQuery, draftChangesQuery, type Side } from "../../api/workflows.ts";
import type { Editor } from "../editor/use-editor.ts";
import { type Change, listChanges } from "./list-changes.ts";

/** What the draft changes of what is published; undefined until it is known, or where there is no draft. */
export function useDraftChanges(editor: Editor): Change[] | undefined {
  const { organizationId, workflow } = editor;
  const comparison = useQuery(draftChangesQuery(organizationId, workflow)).data;
  const describe = useDescribe(editor, editor.canvas.nodes);
  return useMemo(() => comparison && describe(comparison), [comparison, describe]);
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
