import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Canvas, SavedWorkflow, Workflow } from "../../../src/workflows/wire.ts";
import { checkCanvas, draftQuery, saveDraft, workflowQuery } from "../../api/workflows.ts";
import { useMe } from "../../session.ts";
import { readCanvas } from "../edit/read-clip.ts";
import { type Autosave, type BasedCanvas, createAutosave, type SaveState } from "./create-autosave.ts";
import { locateRemarks, noRemarks, type Remarks } from "./remarks.ts";
import { createUnsaved } from "./unsaved.ts";

export type Saving = {
  state: SaveState;
  remarks: Remarks;
  autosave: Autosave;
  /** Asks what is wrong with a canvas that is saved: what was right then may be wrong now. */
  check: (canvas: Canvas) => Promise<void>;
};

type Options = {
  organizationId: string;
  workflowId: string;
  /** What the server had when the page was opened. */
  opened: BasedCanvas;
  canvas: Canvas;
  /** What was changed at an earlier visit and did not reach the server. */
  unsaved: BasedCanvas | undefined;
  readOnly: boolean;
};

/** Keeps the draft on the server up to date with the canvas. What the server said last about the canvas stands until it says something else. */
export function useAutosave({ organizationId, workflowId, opened, canvas, unsaved, readOnly }: Options): Saving {
  const [remarks, setRemarks] = useState(noRemarks);
  const autosave = useParts({ organizationId, workflowId, opened }, ({ faults = [], warnings }, sent) =>
    setRemarks({ faults: locateRemarks(faults, sent), warnings: locateRemarks(warnings, sent) }),
  );
  const state = useSyncExternalStore(autosave.state.subscribe, autosave.state.get);

  const base = useRef<BasedCanvas>(unsaved);
  useEffect(() => {
    if (readOnly) return;
    autosave.change(canvas, base.current);
    base.current = undefined;
  }, [autosave, canvas, readOnly]);

  const check = useCheck(organizationId, readOnly, setRemarks);
  const first = useRef(opened.canvas as Canvas);
  // Where the server is away, saving says so.
  useEffect(() => void check(first.current).catch(() => undefined), [check]);
  useEffect(() => {
    const retry = () => void (autosave.state.get().kind === "offline" && autosave.flush());
    window.addEventListener("online", retry);
    return () => {
      window.removeEventListener("online", retry);
      autosave.close();
    };
  }, [autosave]);
  return { state, remarks, autosave, check };
}

type OnSaved = (saved: SavedWorkflow, canvas: Canvas) => void;
type Place = { organizationId: string; workflowId: string };

function useParts({ opened, ...place }: Place & { opened: BasedCanvas }, onSaved: OnSaved): Autosave {
  const queryClient = useQueryClient();
  const { user } = useMe();
  const [autosave] = useState(() =>
    createAutosave({
      saved: opened,
      save: (canvas, { version, revision }) =>
        saveDraft(place, { canvas, expectedVersion: version, expectedDraft: revision }),
      load: () => loadSaved(queryClient, place),
      keepUnsaved: createUnsaved(user.id, place.workflowId).write,
      onSaved: (saved, canvas) => {
        queryClient.setQueryData(workflowQuery(place.organizationId, place.workflowId).queryKey, saved);
        onSaved(saved, canvas);
      },
    }),
  );
  return autosave;
}

/** What is edited when the workflow is opened now: its draft, or what is published. */
async function loadSaved(queryClient: QueryClient, { organizationId, workflowId }: Place) {
  const workflow: Workflow = await queryClient.fetchQuery({
    ...workflowQuery(organizationId, workflowId),
    staleTime: 0,
  });
  const { version, canvas } = workflow;
  if (!workflow.draft) return { workflow, version, canvas, revision: undefined };
  const draft = await queryClient.fetchQuery(draftQuery(organizationId, workflowId));
  return { workflow, version, canvas: readCanvas(draft.canvas) ?? canvas, revision: draft.revision };
}

function useCheck(organizationId: string, readOnly: boolean, onRemarks: (remarks: Remarks) => void): Saving["check"] {
  return useCallback(
    async (canvas) => {
      if (readOnly) return;
      const { errors, warnings } = await checkCanvas(organizationId, canvas);
      onRemarks({ faults: locateRemarks(errors, canvas), warnings: locateRemarks(warnings, canvas) });
    },
    [organizationId, readOnly, onRemarks],
  );
}
