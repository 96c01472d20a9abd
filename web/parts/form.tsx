import { useMutation } from "@tanstack/react-query";
import { createContext, type FormEvent, type ReactNode, use, useEffect, useRef } from "react";
import { type FieldFault, isApiProblem } from "../problem.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

type FormProps = {
  /** Sends the form; `field` reads a field by its name. What it throws is shown at the fields, or else above the button. */
  send: (field: (name: string) => string) => Promise<unknown>;
  submit: string;
  children?: ReactNode;
  /** What to say once it is sent, where the form stays on the page. */
  done?: string;
  clearWhenDone?: boolean;
  wide?: boolean;
};

export function Form({ send, submit, children, done, clearWhenDone = false, wide = false }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const mutation = useMutation({
    mutationFn: (fields: FormData) => send((name) => String(fields.get(name) ?? "")),
    onSuccess: () => {
      if (clearWhenDone) form.current?.reset();
    },
  });
  const faults = isApiProblem(mutation.error) ? mutation.error.errors : noFaults;

  // What cannot be shown at a field is shown in the notice, whose first sentence already tells the first fault.
  const unplaced = faults.filter((fault) => !form.current?.elements.namedItem(fieldName(fault)));

  useEffect(() => {
    if (faults.length > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [faults]);

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    // React tells a form also of those in dialogs that were opened from it.
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    if (!mutation.isPending) mutation.mutate(new FormData(event.currentTarget));
  }

  return (
    <form ref={form} onSubmit={onSubmit} className={`grid gap-4 ${wide ? "" : "max-w-md"}`}>
      <Faults value={faults}>{children}</Faults>
      {mutation.isError && (faults.length === 0 || unplaced.length > 0) && (
        <ProblemNotice error={mutation.error}>
          {unplaced.slice(unplaced[0] === faults[0] ? 1 : 0).map((fault) => (
            <p key={fault.pointer}>
              {fieldName(fault)} {fault.detail}.
            </p>
          ))}
        </ProblemNotice>
      )}
      {done && mutation.isSuccess && <Notice kind="success">{done}</Notice>}
      <Button type="submit" look="primary" busy={mutation.isPending} className={wide ? "w-full" : "justify-self-start"}>
        {submit}
      </Button>
    </form>
  );
}

/** What the server said about the field of this name when the form was last sent. */
export function useFieldFault(name: string): string | undefined {
  return use(Faults).find((fault) => fieldName(fault) === name)?.detail;
}

/** All that it said then, for parts that place it themselves. */
export function useFaults(): readonly FieldFault[] {
  return use(Faults);
}

const noFaults: FieldFault[] = [];
const Faults = createContext(noFaults);

function fieldName(fault: FieldFault): string {
  return fault.pointer.replace(/^\//, "");
}
