import { CircleAlert, CircleCheck, Pin, TriangleAlert } from "lucide-react";
import { type ReactNode, use } from "react";
import { Button } from "../../parts/button.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { Editor } from "../editor/use-editor.ts";
import type { Remark } from "../save/remarks.ts";
import { SteppingContext } from "../stepping/stepping-context.ts";
import { counted } from "../words.ts";

type PublishChecksProps = {
  editor: Editor;
  /** Without data while the canvas is looked at. */
  check: { data: boolean | undefined; isError: boolean; error: unknown; refetch: () => unknown };
  onRemark: (remark: Remark) => void;
};

/** What hinders publishing and what may make a run fail; each leads to its field. */
export function PublishChecks({ editor: { canvas, saving }, check, onRemark }: PublishChecksProps) {
  const { faults, warnings } = saving.remarks;
  if (check.isError)
    return (
      <ProblemNotice error={check.error} action={<Button onClick={() => void check.refetch()}>Try again</Button>} />
    );
  return (
    <section aria-label="Checks" className="grid grid-cols-1 content-start gap-3 rounded-lg bg-page p-4 text-sm">
      <h3 className="font-semibold">Checks</h3>
      {check.data === undefined ? (
        <Loading what="the checks">
          <Skeleton className="h-12" />
        </Loading>
      ) : (
        <>
          {faults.length === 0 ? (
            <Good>No problems in {counted(canvas.nodes.length, "node")}</Good>
          ) : (
            <Remarks
              icon={<CircleAlert className="mt-0.5 size-4 shrink-0 text-danger" aria-hidden="true" />}
              title={`${counted(faults.length, "problem")} to mend first`}
              remarks={faults}
              onRemark={onRemark}
            />
          )}
          {warnings.length === 0 ? (
            <Good>All accounts usable</Good>
          ) : (
            <Remarks
              icon={<TriangleAlert className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden="true" />}
              title={counted(warnings.length, "warning")}
              remarks={warnings}
              onRemark={onRemark}
            />
          )}
        </>
      )}
      <PinnedNodes canvas={canvas} />
    </section>
  );
}

/** What was only pinned is not published. */
function PinnedNodes({ canvas }: Pick<Editor, "canvas">) {
  const pins = use(SteppingContext)?.pins;
  const count = canvas.nodes.filter(({ id }) => pins?.has(id)).length;
  if (count === 0) return null;
  return (
    <p className="flex gap-2">
      <Pin className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden="true" />
      <span>
        {count === 1 ? "1 node has pinned data" : `${count} nodes have pinned data`}; a published run never uses it.
      </span>
    </p>
  );
}

function Good({ children }: { children: ReactNode }) {
  return (
    <p className="flex gap-2">
      <CircleCheck className="mt-0.5 size-4 shrink-0 text-success" aria-hidden="true" />
      <span>{children}</span>
    </p>
  );
}

type RemarksProps = {
  icon: ReactNode;
  title: string;
  remarks: readonly Remark[];
  onRemark: (remark: Remark) => void;
};

function Remarks({ icon, title, remarks, onRemark }: RemarksProps) {
  return (
    <div className="flex gap-2">
      {icon}
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <ul className="mt-1 grid gap-1">
          {remarks.map((remark, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same words may stand twice, and the list is replaced as a whole.
            <li key={index}>
              <button
                type="button"
                onClick={() => onRemark(remark)}
                className="text-left text-accent underline-offset-4 wrap-anywhere hover:underline"
              >
                {remark.words}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
