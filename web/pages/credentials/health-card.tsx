import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import type { Credential } from "../../../src/vault/wire.ts";
import { connectCredential, credentialsKey } from "../../api/credentials.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { formatDuration, useNow } from "../../parts/duration.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { TimeAgo } from "../../parts/time-ago.tsx";
import { ConnectWait } from "./connect-wait.tsx";
import type { Variant } from "./credential-fields.ts";
import { HealthBadge } from "./health-badge.tsx";
import { openTab } from "./open-tab.ts";
import { TestOutcome } from "./test-outcome.tsx";
import { useTestCredential } from "./use-test-credential.ts";

type HealthCardProps = { organizationId: string; credential: Credential; type: CredentialTypeEntry; variant: Variant };

/** Whether it works, since when, and what to do when it does not. */
export function HealthCard({ organizationId, credential, type, variant }: HealthCardProps) {
  const test = useTestCredential(organizationId, credential.id);
  const isConnected = credential.health !== "needs_reconnect";
  return (
    <Card title="Health" action={<HealthBadge health={credential.health} />}>
      <div className="grid gap-4">
        <HealthFacts credential={credential} />
        <TestOutcome test={test} />
        <div className="flex flex-wrap gap-2">
          {(isConnected || !variant.isOAuth2) && (
            <Button busy={test.isPending} onClick={() => test.mutate()}>
              Test
            </Button>
          )}
          {variant.isOAuth2 && (
            <Reconnect organizationId={organizationId} credential={credential} title={type.provider.title} />
          )}
        </div>
      </div>
    </Card>
  );
}

function HealthFacts({ credential }: { credential: Credential }) {
  const { health, lastOkAt, lastError, lastErrorAt, refreshFailure, tokenExpiresAt, createdAt } = credential;
  return (
    <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[max-content_minmax(0,1fr)]">
      <dt className="text-muted">Last worked</dt>
      <dd>{lastOkAt ? <TimeAgo at={lastOkAt} /> : "Never yet"}</dd>
      {lastError && (
        <>
          <dt className="text-muted">{health === "unknown" ? "Last test" : "Last error"}</dt>
          <dd className="wrap-anywhere">
            {lastError}{" "}
            {lastErrorAt && (
              <span className="text-muted">
                (<TimeAgo at={lastErrorAt} />)
              </span>
            )}
          </dd>
        </>
      )}
      {refreshFailure && (
        <>
          <dt className="text-muted">Token refresh</dt>
          <dd className="wrap-anywhere">
            Failing since <TimeAgo at={refreshFailure.since} />.{" "}
            {refreshFailure.reason !== lastError && refreshFailure.reason} <NextTry at={refreshFailure.nextTryAt} />
          </dd>
        </>
      )}
      {tokenExpiresAt && (
        <>
          <dt className="text-muted">Token ends</dt>
          <dd>
            <TimeAgo at={tokenExpiresAt} />
          </dd>
        </>
      )}
      <dt className="text-muted">Created</dt>
      <dd>
        <TimeAgo at={createdAt} />
      </dd>
    </dl>
  );
}

/** Nothing is tried before, and then only when somebody calls. */
function NextTry({ at }: { at: string }) {
  const leftMs = Date.parse(at) - useNow(1_000);
  if (leftMs <= 0) return <>The next call tries again.</>;
  return <>Calls are not tried for another {formatDuration(Math.ceil(leftMs / 1_000) * 1_000, "whole seconds")}.</>;
}

function Reconnect({
  organizationId,
  credential,
  title,
}: {
  organizationId: string;
  credential: Credential;
  title: string;
}) {
  const queryClient = useQueryClient();
  const [authorizeUrl, setAuthorizeUrl] = useState<string>();
  const connect = useMutation({
    mutationFn: () => connectCredential(organizationId, credential.id),
    onSuccess: (start) => {
      setAuthorizeUrl(start.authorizeUrl);
      openTab(start.authorizeUrl);
    },
  });

  function close() {
    setAuthorizeUrl(undefined);
    void queryClient.invalidateQueries({ queryKey: credentialsKey(organizationId) });
  }

  return (
    <>
      <Button
        look={credential.health === "needs_reconnect" ? "primary" : "quiet"}
        busy={connect.isPending}
        onClick={() => connect.mutate()}
      >
        {credential.lastOkAt ? "Connect again" : `Connect ${title}`}
      </Button>
      {connect.isError && <ProblemNotice error={connect.error} />}
      {authorizeUrl && (
        <Dialog open onOpenChange={close} title={`Connect ${title}`}>
          <ConnectWait
            organizationId={organizationId}
            credentialId={credential.id}
            title={title}
            authorizeUrl={authorizeUrl}
            onConnected={close}
            onAgain={async () => setAuthorizeUrl((await connectCredential(organizationId, credential.id)).authorizeUrl)}
          />
        </Dialog>
      )}
    </>
  );
}
