import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { FrontPage } from "../parts/front-page.tsx";
import { isStatus } from "../problem.ts";
import { ProblemPage } from "./problem.tsx";

/** An invitation that is over cannot be tried again; only another one helps. */
export function InvitationProblemPage(props: ErrorComponentProps) {
  if (!isStatus(props.error, 404)) return <ProblemPage {...props} />;
  return (
    <FrontPage
      title="This invitation is no longer open"
      description="It was used, withdrawn or has expired, or the link is not complete. Ask the person who invited you for a new one."
    >
      <p className="text-sm text-muted">
        You joined already?{" "}
        <Link to="/sign-in" className="text-accent underline underline-offset-4">
          Sign in
        </Link>
      </p>
    </FrontPage>
  );
}
