import { type FormEvent, useId, useState } from "react";
import type { ConsentDecision, ConsentRequest, ConsentServer, OAuthScope } from "../../../src/oauth/wire.ts";
import { Button } from "../../parts/button.tsx";
import { controlLook } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { AccountField, toCredentialChoice, useAccountChoice } from "./account-field.tsx";
import { ScopeChoice } from "./scope-choice.tsx";

type ConsentFormProps = {
  request: ConsentRequest;
  /** What is being sent. */
  pending: ConsentDecision | undefined;
  decide: (decision: ConsentDecision) => void;
  error: unknown;
};

export function ConsentForm({ request, pending, decide, error }: ConsentFormProps) {
  const { organizations } = request;
  const [serverId, setServerId] = useState("");
  const [organizationId, setOrganizationId] = useState(organizations.length === 1 ? (organizations[0]?.id ?? "") : "");
  const [refused, setRefused] = useState<ReadonlySet<OAuthScope>>(new Set());
  const server = request.server ?? request.servers.find(({ id }) => id === serverId);
  const organization = organizations.find(({ id }) => id === organizationId);
  const isOpen = (scope: OAuthScope) => !organization || mayGrant(organization.role, scope);
  const chosen = (server?.scopes ?? []).map(({ name }) => name).filter((name) => isOpen(name) && !refused.has(name));
  const [isChecked, setIsChecked] = useState(false);
  const { accounts, accountId, setAccountId } = useAccountChoice(organization, server);

  function approve(event: FormEvent) {
    event.preventDefault();
    setIsChecked(true);
    if (pending || chosen.length === 0) return;
    decide({
      approve: true,
      organizationId,
      scopes: chosen,
      ...(request.server ? {} : { serverId }),
      ...toCredentialChoice(accountId),
    });
  }

  return (
    <form onSubmit={approve} className="grid gap-5">
      {!request.server && <ServerField servers={request.servers} value={serverId} onChange={setServerId} />}
      <OrganizationField organizations={organizations} value={organizationId} onChange={setOrganizationId} />
      {accounts && server && chosen.length > 0 && (
        <AccountField
          organizationId={organizationId}
          title={server.title}
          accounts={accounts}
          value={accountId}
          onChange={setAccountId}
        />
      )}
      {server && <ScopeChoice scopes={server.scopes} refused={refused} setRefused={setRefused} isOpen={isOpen} />}
      {server && isChecked && chosen.length === 0 && (
        <Notice kind="problem">
          {server.scopes.some(({ name }) => isOpen(name))
            ? "Allow at least one thing, or deny the request."
            : "Your role in this organization is viewer, which cannot let an application act on it."}
        </Notice>
      )}
      {error !== null && <ProblemNotice error={error} />}
      <div className="grid grid-cols-2 gap-3">
        <Button busy={pending?.approve === false} onClick={() => pending || decide({ approve: false })}>
          Deny
        </Button>
        <Button type="submit" look="primary" busy={pending?.approve === true}>
          Approve
        </Button>
      </div>
    </form>
  );
}

/** As the server judges it: viewers only read. */
const mayGrant = (role: ConsentRequest["organizations"][number]["role"], scope: OAuthScope) =>
  role !== "viewer" || scope === "platform:read";

type PickProps = { value: string; onChange: (value: string) => void };

function ServerField({ servers, value, onChange }: PickProps & { servers: ConsentServer[] }) {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Server
      </label>
      <select id={id} required className={controlLook} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">Choose a server…</option>
        {servers.map((server) => (
          <option key={server.id} value={server.id}>
            {server.title}
          </option>
        ))}
      </select>
      <p className="text-xs text-muted">
        The application did not say which one it wants. It gets access to this one only.
      </p>
    </div>
  );
}

function OrganizationField({ organizations, value, onChange }: PickProps & Pick<ConsentRequest, "organizations">) {
  const id = useId();
  if (organizations.length === 0)
    return (
      <Notice kind="problem">
        You belong to no organization.{" "}
        <a href="/new-organization" className="underline underline-offset-4">
          Create one
        </a>
        , then connect again.
      </Notice>
    );
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Organization
      </label>
      <select id={id} required className={controlLook} value={value} onChange={(event) => onChange(event.target.value)}>
        {organizations.length > 1 && <option value="">Choose an organization…</option>}
        {organizations.map((organization) => (
          <option key={organization.id} value={organization.id}>
            {organization.name}
          </option>
        ))}
      </select>
      <p className="text-xs text-muted">The application acts on this organization only.</p>
    </div>
  );
}
