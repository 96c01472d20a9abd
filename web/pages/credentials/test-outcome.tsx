import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import type { useTestCredential } from "./use-test-credential.ts";

/** What the provider said, in its words. */
export function TestOutcome({ test }: { test: ReturnType<typeof useTestCredential> }) {
  if (test.isError) return <ProblemNotice error={test.error} />;
  return test.data ? <Notice kind={test.data.ok ? "success" : "problem"}>{test.data.message}</Notice> : null;
}
