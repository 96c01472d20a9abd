import type { Rerun } from "../../api/runs.ts";
import { Button } from "../../parts/button.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { isApiProblem } from "../../problem.ts";

type RerunProblemProps = {
  rerun: { error: unknown; variables: Rerun | undefined; isPending: boolean; mutate: (body: Rerun) => void };
};

/** Why a run could not be run again. Where it would repeat a write, it may be said that it shall. */
export function RerunProblem({ rerun: { error, variables, isPending, mutate } }: RerunProblemProps) {
  const isRepeat = isApiProblem(error) && error.code === "write_repeated";
  return (
    <div className="grid justify-items-start gap-2">
      <ProblemNotice error={error} />
      {isRepeat && (
        <Button look="danger" busy={isPending} onClick={() => mutate({ ...variables, allowRepeat: true })}>
          Run it again all the same
        </Button>
      )}
    </div>
  );
}
