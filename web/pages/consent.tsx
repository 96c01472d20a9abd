import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { ConsentDecision, ConsentRequest } from "../../src/oauth/wire.ts";
import { api } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { FrontPage } from "../parts/front-page.tsx";
import { Notice } from "../parts/notice.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { isStatus } from "../problem.ts";
import { consentQuery, meQuery } from "../queries.ts";
import { ConsentForm } from "./consent/consent-form.tsx";
import { WhoAsks } from "./consent/who-asks.tsx";
import { PendingPage } from "./pending.tsx";

/** Where a person decides what an application may do. The name of the application is never a heading: anybody may choose any name. */
export function ConsentPage() {
  const { uid } = useParams({ from: "/consent/$uid" });
  const request = useQuery(consentQuery(uid));
  useSignInWhenSessionEnds();
  if (request.isPending) return <PendingPage />;
  // A link that lost its end names no request at all, which the server calls a bad one.
  if (isStatus(request.error, 404) || isStatus(request.error, 400)) return <RequestOver />;
  if (request.error)
    return (
      <FrontPage title="Connect an application">
        <ProblemNotice error={request.error} />
        <Button look="primary" busy={request.isFetching} onClick={() => void request.refetch()}>
          Try again
        </Button>
      </FrontPage>
    );
  return <OpenRequest key={request.data.user.email} uid={uid} request={request.data} />;
}

function OpenRequest({ uid, request }: { uid: string; request: ConsentRequest }) {
  const isOver = useIsPast(request.expiresAt);
  const decide = useMutation({
    mutationFn: (decision: ConsentDecision) => api.decideConsent(uid, decision),
    onSuccess: ({ redirectTo }) => location.assign(redirectTo),
  });
  if (decide.isSuccess) return <Decided name={request.client.name} approved={decide.variables.approve} />;
  if (isOver || isStatus(decide.error, 404)) return <RequestOver />;
  return (
    <FrontPage
      title="Connect an application"
      description="It asks to act for you. Approve only what you began yourself."
    >
      <WhoAsks client={request.client} server={request.server} />
      <ConsentForm
        request={request}
        pending={decide.isPending ? decide.variables : undefined}
        decide={decide.mutate}
        error={decide.error}
      />
      <SignedInAs user={request.user} />
    </FrontPage>
  );
}

function SignedInAs({ user }: { user: ConsentRequest["user"] }) {
  // A full page load, so that nothing of the person stays in memory; the page asks whoever comes next to sign in.
  const leave = useMutation({ mutationFn: api.signOut, onSuccess: () => location.reload() });
  return (
    <div className="border-t border-line pt-4 text-sm text-muted">
      {leave.isError && <ProblemNotice error={leave.error} />}
      <p className="wrap-anywhere">
        Signed in as {user.name} ({user.email}).{" "}
        <button type="button" className="text-accent underline underline-offset-4" onClick={() => leave.mutate()}>
          Use another account
        </button>
      </p>
    </div>
  );
}

function Decided({ name, approved }: { name: string; approved: boolean }) {
  return (
    <FrontPage title={approved ? "Approved" : "Denied"}>
      <Notice kind={approved ? "success" : "hint"}>
        {approved ? `Going back to ${name}.` : `${name} gets no access.`} If nothing happens, close this page and look
        at the application.
      </Notice>
    </FrontPage>
  );
}

function RequestOver() {
  return (
    <FrontPage
      title="This request is no longer open"
      description="It was answered already, took longer than 15 minutes, or the link is not complete."
    >
      <p className="text-sm">Go back to your application and connect again. It opens a new page like this one.</p>
      <p className="text-sm">
        Applications that are connected already stand in{" "}
        <a href="/" className="text-accent underline underline-offset-4">
          your organization
        </a>{" "}
        under “Connected applications”.
      </p>
    </FrontPage>
  );
}

function useIsPast(instant: string): boolean {
  const [isPast, setIsPast] = useState(() => Date.parse(instant) <= Date.now());
  useEffect(() => {
    const timer = setTimeout(() => setIsPast(true), Math.max(0, Date.parse(instant) - Date.now()));
    return () => clearTimeout(timer);
  }, [instant]);
  return isPast;
}

function useSignInWhenSessionEnds(): void {
  const router = useRouter();
  const { data: me } = useQuery(meQuery);
  useEffect(() => {
    if (me === null) void router.invalidate();
  }, [me, router]);
}
