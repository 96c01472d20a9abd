import { Loading, Skeleton } from "../parts/skeleton.tsx";

/** Where the page itself is still on its way. */
export function PendingPage() {
  return (
    <Loading>
      <div className="mx-auto grid w-full max-w-4xl gap-3 px-4 py-8 sm:px-8 sm:py-12">
        <Skeleton className="h-8 w-56" />
        <Skeleton className="h-5 w-96 max-w-full" />
        <Skeleton className="mt-4 h-60" />
      </div>
    </Loading>
  );
}
