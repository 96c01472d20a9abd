import type { FieldFault } from "../../problem.ts";

/** What the server says is wrong with a field. */
export function FaultLines({ id, label, faults }: { id: string; label: string; faults: readonly FieldFault[] }) {
  if (faults.length === 0) return null;
  return (
    <div id={id} className="text-sm text-danger">
      {faults.map(({ pointer, detail }) => (
        <p key={`${pointer} ${detail}`}>
          {label} {detail}.
        </p>
      ))}
    </div>
  );
}
