import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import type { useTestCredential } from "./use-test-credential.ts";

/** What the provider said, in its words. */
export function TestOutcome({ test }: { test: ReturnType<typeof useTestCredential> }) {
  if (test.isError) return <ProblemNotice error={test.error} />;
  if (!test.data) return null;
  const { ok, isChecked, health, message } = test.data;
  const isRefused = isChecked || health === "failing" || health === "needs_reconnect";
  return <Notice kind={ok ? "success" : isRefused ? "problem" : "hint"}>{message}</Notice>;
}
