import { Spinner } from "../parts/spinner.tsx";

export function PendingPage() {
  return (
    <div role="status" className="flex min-h-60 items-center justify-center gap-2.5 text-sm text-muted">
      <Spinner />
      Loading…
    </div>
  );
}
