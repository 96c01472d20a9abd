import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Trigger } from "../../../src/triggers/wire.ts";
import type { CredentialSummary } from "../../../src/vault/wire.ts";
import { credentialsQuery } from "../../api/credentials.ts";
import { useNow } from "../../parts/duration.tsx";
import { TimeAgo } from "../../parts/time-ago.tsx";
import { HealthBadge } from "../credentials/health-badge.tsx";
import { describeParameters, describePoll, usePoll } from "./poll-words.ts";

type PollFactsProps = { organizationId: string; trigger: Trigger; poll: NonNullable<Trigger["poll"]> };

/** What it looks at, with which account, when it looked and when it looks again. */
export function PollFacts({ organizationId, trigger, poll }: PollFactsProps) {
  const entry = usePoll(trigger.provider, poll.event);
  const account = useAccount(organizationId, trigger.credentialId);
  return (
    <>
      <p className="wrap-anywhere">Checks {entry ? describePoll(entry) : `${trigger.provider}: ${poll.event}`}</p>
      {entry &&
        describeParameters(entry, poll).map((line) => (
          <p key={line} className="wrap-anywhere">
            {line}
          </p>
        ))}
      {trigger.filter && (
        <p className="wrap-anywhere">
          Only if <code className="font-mono text-xs">{trigger.filter}</code>
        </p>
      )}
      {account && <AccountLine organizationId={organizationId} account={account} />}
      <Looks poll={poll} />
    </>
  );
}

function AccountLine({ organizationId, account }: { organizationId: string; account: CredentialSummary }) {
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 wrap-anywhere">
      <span>
        With the account{" "}
        <Link
          to="/o/$organizationId/credentials"
          params={{ organizationId }}
          search={{ credential: account.id }}
          className="text-ink underline underline-offset-4"
        >
          {account.name}
        </Link>
      </span>
      {isBroken(account) && <HealthBadge health={account.health} />}
    </p>
  );
}

function Looks({ poll: { lastPolledAt, nextPollAt } }: Pick<PollFactsProps, "poll">) {
  const now = useNow(15_000);
  const isLate = nextPollAt !== null && Date.parse(nextPollAt) < now - 60_000;
  return (
    <p>
      {lastPolledAt ? (
        <>
          Looked <TimeAgo at={lastPolledAt} />
        </>
      ) : (
        "Has not looked yet"
      )}
      {nextPollAt ? (
        <>
          , {isLate ? "should have looked" : "looks"} {lastPolledAt && !isLate && "again "}
          <TimeAgo at={nextPollAt} near="in a moment" />
        </>
      ) : (
        ". Off: does not look"
      )}
    </p>
  );
}

/** Why the last look started nothing, and what to do about it. */
export function PollProblem({ organizationId, trigger }: Omit<PollFactsProps, "poll">) {
  const account = useAccount(organizationId, trigger.credentialId);
  return (
    <div className="grid gap-0.5">
      <p className="text-danger wrap-anywhere">The last look went wrong: {trigger.lastError}</p>
      {account && isBroken(account) && (
        <p>
          <Link
            to="/o/$organizationId/credentials"
            params={{ organizationId }}
            search={{ credential: account.id }}
            className="text-accent underline underline-offset-4"
          >
            Mend the account
          </Link>{" "}
          and look again.
        </p>
      )}
      {trigger.active && <p>It tries again by itself, and finds what the service still lists by then.</p>}
    </div>
  );
}

function useAccount(organizationId: string, credentialId: string | null): CredentialSummary | undefined {
  return useQuery({ ...credentialsQuery(organizationId), enabled: credentialId !== null }).data?.find(
    ({ id }) => id === credentialId,
  );
}

const isBroken = ({ health, isComplete }: CredentialSummary): boolean =>
  !isComplete || health === "failing" || health === "needs_reconnect";
