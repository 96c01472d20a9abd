import { useMutation } from "@tanstack/react-query";
import { isApiProblem } from "../problem.ts";

type SwitchProps = { label: string; on: boolean; change: (on: boolean) => Promise<unknown> };

/** Shows what was asked for at once; when the server refuses, it goes back and says why. `change` ends when `on` is known anew. */
export function Switch({ label, on, change }: SwitchProps) {
  const mutation = useMutation({ mutationFn: change });
  const shown = mutation.isPending ? mutation.variables : on;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <button
        type="button"
        role="switch"
        aria-checked={shown}
        aria-label={label}
        aria-busy={mutation.isPending}
        onClick={() => !mutation.isPending && mutation.mutate(!on)}
        className={`inline-flex h-6 w-10 shrink-0 items-center rounded-full border px-0.5 ${shown ? "border-accent bg-accent" : "border-field bg-hover"}`}
      >
        <span
          className={`size-4.5 rounded-full motion-safe:transition-transform ${shown ? "translate-x-4 bg-on-accent" : "bg-field"}`}
        />
      </button>
      <span aria-hidden="true" className="w-6 text-sm text-muted">
        {shown ? "On" : "Off"}
      </span>
      {mutation.isError && (
        <span role="alert" className="text-sm text-danger">
          Not changed. {isApiProblem(mutation.error) ? mutation.error.message : "Something went wrong on this page."}
        </span>
      )}
    </span>
  );
}
