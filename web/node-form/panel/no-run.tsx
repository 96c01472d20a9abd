export function NoRun({ what }: { what: string }) {
  return <p className="text-sm text-muted">There is no run to show. Run the step, and {what} is shown here.</p>;
}
