import { Button } from "../../parts/button.tsx";

/** Values that no field shows, as after a change of the node's type; the server refuses them. */
export function UnknownFields({
  names,
  readOnly,
  onRemove,
}: {
  names: string[];
  readOnly: boolean;
  onRemove: (name: string) => void;
}) {
  return names.map((name) => (
    <div
      key={name}
      className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-warning-soft px-3 py-2 text-sm text-warning"
    >
      <span className="min-w-0 wrap-anywhere">There is no field "{name}" here, but it has a value.</span>
      {!readOnly && <Button onClick={() => onRemove(name)}>Remove {name}</Button>}
    </div>
  ));
}
