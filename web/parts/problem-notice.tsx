import type { ReactNode } from "react";
import { isApiProblem } from "../problem.ts";
import { Notice } from "./notice.tsx";

/** What went wrong, in the words of the server, with the request id that finds it in the server's log. */
export function ProblemNotice({
  error,
  action,
  children,
}: {
  error: unknown;
  action?: ReactNode;
  children?: ReactNode;
}) {
  const problem = isApiProblem(error) ? error : undefined;
  return (
    <Notice kind="problem" action={action}>
      <p>{problem?.message ?? "Something went wrong on this page."}</p>
      {children}
      {problem && problem.status >= 500 && problem.requestId && (
        <p className="mt-1 text-xs">Request {problem.requestId}</p>
      )}
    </Notice>
  );
}
