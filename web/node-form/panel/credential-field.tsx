import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Health } from "../../../src/vault/wire.ts";
import { credentialsQuery, defaultCredentialsQuery } from "../../api/credentials.ts";
import { credentialTypesQuery } from "../../catalog.ts";
import { AccountOptions } from "../../pages/credentials/account-options.tsx";
import { CredentialDialog } from "../../pages/credentials/credential-dialog.tsx";
import { HealthBadge } from "../../pages/credentials/health-badge.tsx";
import { Button } from "../../parts/button.tsx";
import { controlLook } from "../../parts/field.tsx";
import { setField } from "../field-values.ts";
import { FaultLines } from "../fields/fault-lines.tsx";
import { changeNode } from "./change-node.ts";
import { faultsBelow } from "./faults-below.ts";
import { modelCredentialTypes } from "./model-account-field.tsx";
import type { NodePanelProps } from "./node-panel-props.ts";

type CredentialFieldProps = NodePanelProps & { type: string; id: string };

/** With which account the node works: one of the organization's, its default, or a new one. */
export function CredentialField({
  organizationId,
  node,
  kind,
  faults,
  warnings,
  readOnly,
  onChange,
  type,
  id,
}: CredentialFieldProps) {
  const types = [type, ...(kind?.alsoTakes ?? [])];
  const accounts = useQuery(credentialsQuery(organizationId)).data?.filter((account) => types.includes(account.type));
  const title = useQuery(credentialTypesQuery).data?.find((entry) => entry.type === type)?.title ?? type;
  const standard = useDefault(organizationId, type);
  const [isCreating, setCreating] = useState(false);
  const chosenType = findChosenType(node, types) ?? type;
  const reference = node.credentials?.[chosenType];
  const chosen = accounts?.find((account) => account.reference === (reference ?? standard?.reference));
  const none = kind?.worksWithoutAccount ? "None: a public address" : "None chosen";
  const own = faultsBelow(faults, `/credentials/${chosenType}`);
  const choose = (
    next: string | undefined,
    nextType = accounts?.find((account) => account.reference === next)?.type ?? chosenType,
  ) => {
    const others = setField(node.credentials ?? {}, chosenType, undefined);
    onChange(changeNode(node, "credentials", setField(others, nextType, next) as Record<string, string>));
  };
  return (
    <div className="grid min-w-0 gap-1.5">
      <Heading id={id} title={title} health={chosen?.health} />
      <div className="flex flex-wrap gap-2">
        <select
          id={id}
          disabled={readOnly}
          value={reference ?? ""}
          onChange={(event) => choose(event.target.value || undefined)}
          aria-invalid={own.length > 0 || undefined}
          aria-describedby={`${id}-fault ${id}-remark`}
          className={`${controlLook} flex-1 basis-44`}
        >
          <option value="">{standard ? `Default: ${standard.name}` : none}</option>
          <AccountOptions accounts={accounts ?? []} type={type} />
          {reference && accounts && !accounts.some((account) => account.reference === reference) && (
            <option value={reference}>A credential that is gone</option>
          )}
        </select>
        {!readOnly && <Button onClick={() => setCreating(true)}>Create or connect</Button>}
      </div>
      <FaultLines id={`${id}-fault`} label={`${title} credential`} faults={own} />
      <Remarks id={`${id}-remark`} title={title} remarks={faultsBelow(warnings, `/credentials/${type}`)} />
      <CredentialDialog
        organizationId={organizationId}
        type={type}
        open={isCreating}
        onOpenChange={setCreating}
        onCreated={(created) => choose(created.reference, type)}
      />
    </div>
  );
}

type HeadingProps = { id: string; title: string; health: Health | undefined };

function Heading({ id, title, health }: HeadingProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <label htmlFor={id} className="text-sm font-medium">
        {title} credential
      </label>
      {health && <HealthBadge health={health} />}
    </div>
  );
}

type RemarksProps = { id: string; title: string; remarks: ReturnType<typeof faultsBelow> };

function Remarks({ id, title, remarks }: RemarksProps) {
  if (remarks.length === 0) return null;
  return (
    <p id={id} className="text-xs text-warning">
      {remarks.map(({ detail }) => `${title} credential ${detail}.`).join(" ")}
    </p>
  );
}

/** Which of the types it takes the node names. One of a model is there for the instruction, where there is one, and is chosen beside that. */
function findChosenType(
  { credentials, instruction }: CredentialFieldProps["node"],
  types: string[],
): string | undefined {
  const named = types.filter((type) => credentials?.[type] !== undefined);
  return named.find((type) => !modelCredentialTypes.includes(type)) ?? (instruction ? undefined : named[0]);
}

/** The organization's default account of this type. */
export function useDefault(organizationId: string, type: string) {
  const defaults = useQuery(defaultCredentialsQuery(organizationId)).data;
  const accounts = useQuery(credentialsQuery(organizationId)).data;
  const found = defaults?.find((entry) => entry.type === type && entry.apiKeyId === null);
  return accounts?.find(({ reference }) => reference === found?.reference);
}
