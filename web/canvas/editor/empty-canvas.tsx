import { Plus } from "lucide-react";
import { Button } from "../../parts/button.tsx";

export function EmptyCanvas({ readOnly, onAdd }: { readOnly: boolean; onAdd: () => void }) {
  return (
    <div className="pointer-events-none absolute inset-0 flex items-center justify-center p-6">
      <div className="pointer-events-auto grid max-w-sm justify-items-center gap-3 text-center">
        <p className="font-medium">Nothing on this canvas yet</p>
        {readOnly ? (
          <p className="text-sm text-muted">Members of the organization can add nodes.</p>
        ) : (
          <>
            <p className="text-sm text-muted">
              A workflow is a line of nodes: each takes what the one before it gave. Begin with Start, then add what
              should happen.
            </p>
            <Button look="primary" onClick={onAdd} className="hidden md:inline-flex">
              <Plus className="size-4" aria-hidden="true" />
              Add the first node
            </Button>
            <p className="text-sm text-muted md:hidden">Open this page on a larger screen to build.</p>
          </>
        )}
      </div>
    </div>
  );
}
