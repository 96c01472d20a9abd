import { useEffect, useMemo, useRef } from "react";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { type FieldFault, isApiProblem } from "../../problem.ts";
import { type FieldSchema, faultsOfData, readSchema } from "./credential-fields.ts";

/** What went wrong with the form as a whole; what is wrong with one of its fields stands there. */
export function FormProblem({ error, fields }: { error: unknown; fields: (FieldSchema | null)[] }) {
  const names = [
    "/name",
    ...fields
      .flatMap((schema) => (schema ? Object.keys(readSchema(schema).properties) : []))
      .map((name) => `/data/${name}`),
  ];
  const isPlaced =
    isApiProblem(error) && error.errors.length > 0 && error.errors.every(({ pointer }) => names.includes(pointer));
  return error === null || isPlaced ? null : <ProblemNotice error={error} />;
}

/** What the server said about fields. The first of them gets the focus. */
export function useFormFaults(error: unknown) {
  const form = useRef<HTMLFormElement>(null);
  const faults = isApiProblem(error) ? error.errors : noFaults;
  const fieldFaults = useMemo(() => faultsOfData(faults), [faults]);
  useEffect(() => {
    if (faults.length > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [faults]);
  return { form, faults, fieldFaults };
}

const noFaults: FieldFault[] = [];
