import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { FrontPage } from "../parts/front-page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { isPassing } from "../problem.ts";

/** Stands in for a page that could not be loaded or that failed. */
export function ProblemPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  const [busy, setBusy] = useState(false);

  async function tryAgain() {
    setBusy(true);
    queries.reset();
    await router.invalidate();
    reset();
    setBusy(false);
  }

  return (
    <FrontPage
      footer={
        !isPassing(error) && (
          <Link to="/" className="text-accent underline underline-offset-4">
            Go to the start page
          </Link>
        )
      }
      title={isPassing(error) ? "Switchyard is not available right now" : "This page could not be shown"}
    >
      <ProblemNotice error={error} />
      <Button look="primary" busy={busy} onClick={tryAgain}>
        Try again
      </Button>
    </FrontPage>
  );
}
