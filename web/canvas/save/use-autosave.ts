import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Canvas, SavedWorkflow, Workflow } from "../../../src/workflows/wire.ts";
import { changeWorkflow, checkCanvas, draftQuery, workflowQuery, workflowsKey } from "../../api/workflows.ts";
import { useMe } from "../../session.ts";
import { readCanvas } from "../edit/read-clip.ts";
import { type Autosave, createAutosave, type SaveState } from "./create-autosave.ts";
import { createDrafts, type Draft } from "./drafts.ts";
import { locateRemarks, noRemarks, type Remarks } from "./remarks.ts";

export type Saving = {
  state: SaveState;
  remarks: Remarks;
  autosave: Autosave;
  /** Asks what is wrong with a canvas that is saved: what was right then may be wrong now. */
  check: (canvas: Canvas) => Promise<void>;
};

type Options = {
  organizationId: string;
  workflow: Workflow;
  canvas: Canvas;
  draft: Draft | undefined;
  readOnly: boolean;
};

/** Keeps the server up to date with the canvas. What the server said last about the canvas stands until it says something else. */
export function useAutosave({ organizationId, workflow, canvas, draft, readOnly }: Options): Saving {
  const [remarks, setRemarks] = useState(noRemarks);
  const autosave = useParts(organizationId, workflow, ({ faults = [], warnings }, sent) =>
    setRemarks({ faults: locateRemarks(faults, sent), warnings: locateRemarks(warnings, sent) }),
  );
  const state = useSyncExternalStore(autosave.state.subscribe, autosave.state.get);

  const draftVersion = useRef(draft?.version);
  useEffect(() => {
    if (readOnly) return;
    autosave.change(canvas, draftVersion.current);
    draftVersion.current = undefined;
  }, [autosave, canvas, readOnly]);

  useEffect(() => {
    if (state.kind === "faulty")
      setRemarks(({ warnings }) => ({ faults: locateRemarks(state.faults, state.canvas as Canvas), warnings }));
  }, [state]);

  const check = useCheck(organizationId, readOnly, setRemarks);
  const opened = useRef(workflow.canvas as Canvas);
  useEffect(() => void check(opened.current), [check]);
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

function useParts(organizationId: string, workflow: Workflow, onSaved: OnSaved): Autosave {
  const queryClient = useQueryClient();
  const { user } = useMe();
  const [autosave] = useState(() => {
    const query = workflowQuery(organizationId, workflow.id);
    // Whoever opened a draft goes on with it, and what runs stays as it is until somebody publishes.
    const isDraft = workflow.draft !== null;
    let revision = workflow.draft?.revision;
    return createAutosave({
      workflow,
      save: async (canvas, expectedVersion) => {
        const asDraft = isDraft ? { publish: false, expectedDraft: revision } : {};
        const saved = await changeWorkflow(organizationId, workflow.id, { canvas, expectedVersion, ...asDraft });
        revision = saved.draft?.revision;
        return saved;
      },
      load: async () => {
        const current = await queryClient.fetchQuery({ ...query, staleTime: 0 });
        revision = current.draft?.revision;
        if (!isDraft || !current.draft) return current;
        const draft = await queryClient.fetchQuery(draftQuery(organizationId, workflow.id));
        revision = draft.revision;
        return { ...current, canvas: readCanvas(draft.canvas) ?? current.canvas };
      },
      keepDraft: createDrafts(user.id, workflow.id).write,
      onSaved: (saved, canvas) => {
        queryClient.setQueryData(query.queryKey, saved);
        void queryClient.invalidateQueries({ queryKey: [...workflowsKey(organizationId), "versions", workflow.id] });
        onSaved(saved, canvas);
      },
    });
  });
  return autosave;
}

function useCheck(organizationId: string, readOnly: boolean, onRemarks: (remarks: Remarks) => void): Saving["check"] {
  return useCallback(
    async (canvas) => {
      if (readOnly) return;
      // Where the server is away, saving says so.
      const found = await checkCanvas(organizationId, canvas).catch(() => undefined);
      if (found)
        onRemarks({ faults: locateRemarks(found.errors, canvas), warnings: locateRemarks(found.warnings, canvas) });
    },
    [organizationId, readOnly, onRemarks],
  );
}
