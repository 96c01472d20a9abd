import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Run } from "../../../src/runs/wire.ts";
import { type Rerun, rerunRun } from "../../api/runs.ts";

/** Starts a run like this one and goes there. */
export function useRerun({ organizationId, run }: { organizationId: string; run: Run }) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: Rerun) => rerunRun(organizationId, run.id, body),
    onSuccess: ({ id }) =>
      navigate({
        to: "/o/$organizationId/runs/$runId",
        params: { organizationId, runId: id },
        search: ({ view }) => (view ? { view } : {}),
      }),
  });
}
