import { Check } from "lucide-react";
import { type ReactNode, useId } from "react";

type StepProps = { number: number; title: string; isDone: boolean; children: ReactNode };

/** One step of the guide: its number until it is done, a tick from then on. */
export function Step({ number, title, isDone, children }: StepProps) {
  const id = useId();
  return (
    <li aria-labelledby={id} className="grid grid-cols-1 gap-4 rounded-xl border border-line bg-surface p-5 sm:p-6">
      <div className="flex flex-wrap items-center gap-x-3 sm:gap-x-4">
        <span
          className={`grid size-8 shrink-0 place-items-center rounded-full text-sm font-semibold ${isDone ? "bg-success-soft text-success" : "bg-accent-soft text-accent"}`}
          aria-hidden="true"
        >
          {isDone ? <Check className="size-4" /> : number}
        </span>
        <h2 id={id} className="font-semibold">
          <span className="sr-only">Step {number}: </span>
          {title}
        </h2>
        <span role="status" className="text-sm text-success">
          {isDone ? "Done" : ""}
        </span>
      </div>
      <div className="grid grid-cols-1 gap-4 sm:pl-12">{children}</div>
    </li>
  );
}
