import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

type NoticeProps = { kind: keyof typeof kinds; children: ReactNode; action?: ReactNode };

export function Notice({ kind, children, action }: NoticeProps) {
  const { look, Icon } = kinds[kind];
  return (
    <div
      role={kind === "problem" ? "alert" : "status"}
      className={`flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg px-4 py-3 text-sm ${look}`}
    >
      <Icon className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <div className="min-w-0 flex-1 basis-48 wrap-anywhere">{children}</div>
      {action}
    </div>
  );
}

const kinds = {
  problem: { look: "bg-danger-soft text-danger", Icon: CircleAlert },
  success: { look: "bg-success-soft text-success", Icon: CircleCheck },
  warning: { look: "bg-warning-soft text-warning", Icon: TriangleAlert },
  hint: { look: "bg-accent-soft text-ink", Icon: Info },
};
