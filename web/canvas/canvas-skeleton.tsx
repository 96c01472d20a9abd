export function CanvasSkeleton() {
  return (
    <div
      role="status"
      aria-label="Loading the canvas"
      className="flex h-full min-h-60 flex-1 items-center justify-center gap-16 bg-page"
    >
      {[1, 2, 3].map((number) => (
        <div key={number} className="h-16 w-60 rounded-xl border border-line bg-surface motion-safe:animate-pulse" />
      ))}
    </div>
  );
}
