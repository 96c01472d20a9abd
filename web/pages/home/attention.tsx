import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Trigger } from "../../../src/triggers/wire.ts";
import type { CredentialSummary, Health } from "../../../src/vault/wire.ts";
import { credentialsQuery } from "../../api/credentials.ts";
import { failingTriggersQuery } from "../../api/triggers.ts";

/** What will not mend itself: accounts that stopped working and triggers that could not start their workflow. */
export function Attention({ organizationId }: { organizationId: string }) {
  const credentials = (useQuery(credentialsQuery(organizationId)).data ?? []).filter(
    ({ health }) => healthWords[health],
  );
  const triggers = useQuery(failingTriggersQuery(organizationId)).data ?? [];
  if (credentials.length + triggers.length === 0) return null;
  return (
    <section aria-labelledby="attention" className="rounded-xl border border-line bg-warning-soft p-5 sm:p-6">
      <h2 id="attention" className="flex items-center gap-2 font-semibold text-warning">
        <TriangleAlert className="size-4" aria-hidden="true" />
        Needs attention
      </h2>
      <ul className="mt-3 grid gap-2 text-sm">
        {credentials.map((credential) => (
          <CredentialLine key={credential.id} organizationId={organizationId} credential={credential} />
        ))}
        {triggers.map((trigger) => (
          <TriggerLine key={trigger.id} organizationId={organizationId} trigger={trigger} />
        ))}
      </ul>
    </section>
  );
}

/** Only what somebody should look at has words. */
const healthWords: Partial<Record<Health, string>> = {
  needs_reconnect: "must be connected again",
  failing: "is refused by its service, or gets no new token from it",
};

const incompleteWords = "lacks something it needs, and calls with it are refused until that is filled in";

function CredentialLine({ organizationId, credential }: { organizationId: string; credential: CredentialSummary }) {
  return (
    <Line
      text={`The account ${credential.name} ${credential.isComplete ? healthWords[credential.health] : incompleteWords}.`}
    >
      <Link
        to="/o/$organizationId/credentials"
        params={{ organizationId }}
        search={{ credential: credential.id }}
        aria-label={`Open the account ${credential.name}`}
        className={linkLook}
      >
        Open
      </Link>
    </Line>
  );
}

function TriggerLine({ organizationId, trigger }: { organizationId: string; trigger: Trigger }) {
  const words = trigger.stoppedReason ? `stopped: ${trigger.stoppedReason}` : `started nothing: ${trigger.lastError}`;
  return (
    <Line text={`The trigger ${trigger.name} of ${trigger.workflowName} ${words}`}>
      <Link
        to="/o/$organizationId/triggers"
        params={{ organizationId }}
        search={{ trigger: trigger.id }}
        aria-label={`Open the trigger ${trigger.name}`}
        className={linkLook}
      >
        Open
      </Link>
    </Line>
  );
}

const linkLook = "text-accent underline underline-offset-4";

function Line({ text, children }: { text: string; children: ReactNode }) {
  return (
    <li className="flex flex-wrap gap-x-3 wrap-anywhere">
      {text} {children}
    </li>
  );
}
