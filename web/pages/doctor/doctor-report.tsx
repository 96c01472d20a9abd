import { CircleCheck, CircleMinus, CircleX, TriangleAlert } from "lucide-react";
import type { Report, Step } from "../../../src/doctor/wire.ts";
import { Card } from "../../parts/card.tsx";
import { Notice } from "../../parts/notice.tsx";

/** What was found, hop by hop. */
export function DoctorReport({ report }: { report: Report }) {
  const first = report.steps.find(({ id }) => id === report.brokenStep);
  const remark = report.steps.find(({ outcome }) => outcome === "warning");
  const hasExchange = report.steps.some(({ id, outcome }) => id === "exchange" && outcome === "ok");
  return (
    <Card title="What was found">
      <div className="grid gap-5">
        {first ? (
          <Notice kind="problem">
            <p className="font-medium">An application stops here: {first.title}.</p>
            <p className="mt-1">Mend this first; what comes after it may be well.</p>
          </Notice>
        ) : remark ? (
          <Notice kind="warning">
            <p className="font-medium">An application can connect, but {remark.seen}.</p>
            <p className="mt-1">{remark.fix}</p>
          </Notice>
        ) : (
          <Notice kind="success">
            An application can connect.{hasExchange ? "" : " Only the approval of a person was not tried."}
          </Notice>
        )}
        <ol className="-mb-3 divide-y divide-line">
          {report.steps.map((step) => (
            <StepLine key={step.id} step={step} />
          ))}
        </ol>
      </div>
    </Card>
  );
}

function StepLine({ step }: { step: Step }) {
  const { Icon, look, word } = outcomes[step.outcome];
  return (
    <li className="flex items-start gap-3 py-3">
      <Icon className={`mt-0.5 size-5 shrink-0 ${look}`} aria-hidden="true" />
      <div className="grid min-w-0 gap-1 text-sm wrap-anywhere">
        <p className="font-medium">
          {step.title} <span className={`font-normal ${look}`}>{word}</span>
        </p>
        <p className="text-muted">{step.outcome === "skipped" ? step.seen : `Seen: ${step.seen}`}</p>
        {step.outcome === "broken" && <p className="text-muted">Expected: {step.expected}</p>}
        {step.fix && <p className="mt-1">{step.fix}</p>}
      </div>
    </li>
  );
}

const outcomes = {
  ok: { Icon: CircleCheck, look: "text-success", word: "ok" },
  broken: { Icon: CircleX, look: "text-danger", word: "broken" },
  warning: { Icon: TriangleAlert, look: "text-warning", word: "look at this" },
  skipped: { Icon: CircleMinus, look: "text-muted", word: "not checked" },
};
