import { useQueryClient } from "@tanstack/react-query";
import { Pencil, RefreshCw, Trash2, UserRoundCheck } from "lucide-react";
import { useState } from "react";
import type { ApiKey } from "../../../src/identity/wire.ts";
import { apiKeysQuery, deleteApiKey } from "../../api/api-keys.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { MyOrganization } from "../../session.ts";
import { EditKeyDialog } from "./edit-key-dialog.tsx";
import { KeyAccountsDialog } from "./key-accounts-dialog.tsx";
import { KeyFacts } from "./key-facts.tsx";
import { RegenerateDialog } from "./regenerate-dialog.tsx";

type Act = "edit" | "accounts" | "regenerate" | "delete";

export function KeyList({ organization, keys }: { organization: MyOrganization; keys: ApiKey[] }) {
  const [open, setOpen] = useState<{ act: Act; apiKey: ApiKey }>();
  return (
    <section aria-label="API keys" className="rounded-xl border border-line bg-surface">
      <ul className="divide-y divide-line">
        {keys.map((apiKey) => (
          <li key={apiKey.id} className="flex flex-wrap items-start gap-x-4 gap-y-3 px-5 py-4 sm:px-6">
            <KeyFacts apiKey={apiKey} organizationId={organization.id} />
            <KeyActions apiKey={apiKey} onAct={(act) => setOpen({ act, apiKey })} />
          </li>
        ))}
      </ul>
      {open && <ActDialog organization={organization} {...open} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

function KeyActions({ apiKey: { name, scopes }, onAct }: { apiKey: ApiKey; onAct: (act: Act) => void }) {
  return (
    <div className="-ml-2 flex flex-wrap items-center gap-0.5 sm:-mr-2 sm:ml-0">
      <Button look="bare" className="px-2.5!" aria-label={`Edit ${name}`} onClick={() => onAct("edit")}>
        <Pencil className="size-4" aria-hidden="true" />
        Edit
      </Button>
      {scopes.includes("mcp:invoke") && (
        <Button look="bare" className="px-2.5!" aria-label={`Accounts of ${name}`} onClick={() => onAct("accounts")}>
          <UserRoundCheck className="size-4" aria-hidden="true" />
          Accounts
        </Button>
      )}
      <Button look="bare" className="px-2.5!" aria-label={`Regenerate ${name}`} onClick={() => onAct("regenerate")}>
        <RefreshCw className="size-4" aria-hidden="true" />
        Regenerate
      </Button>
      <Button
        look="bare"
        className="px-2.5! hover:text-danger!"
        aria-label={`Delete ${name}`}
        onClick={() => onAct("delete")}
      >
        <Trash2 className="size-4" aria-hidden="true" />
        Delete
      </Button>
    </div>
  );
}

type ActDialogProps = { organization: MyOrganization; act: Act; apiKey: ApiKey; onClose: () => void };

function ActDialog({ organization, act, apiKey, onClose }: ActDialogProps) {
  const queryClient = useQueryClient();

  async function drop() {
    try {
      await deleteApiKey(organization.id, apiKey.id);
    } finally {
      await queryClient.invalidateQueries(apiKeysQuery(organization.id));
    }
  }

  if (act === "edit") return <EditKeyDialog organization={organization} apiKey={apiKey} onClose={onClose} />;
  if (act === "accounts") return <KeyAccountsDialog organization={organization} apiKey={apiKey} onClose={onClose} />;
  if (act === "regenerate") return <RegenerateDialog organization={organization} apiKey={apiKey} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={`Delete ${apiKey.name}?`}
      description={`Whatever uses ${apiKey.hint} is refused from its next request on. This cannot be taken back. History keeps the name.`}
      confirm="Delete key"
      act={drop}
      onClose={onClose}
    />
  );
}

export function KeyListSkeleton() {
  return (
    <Loading what="the API keys">
      <div className="divide-y divide-line rounded-xl border border-line bg-surface">
        {[0, 1, 2].map((row) => (
          <div key={row} className="grid gap-2 px-6 py-5">
            <Skeleton className="h-5 w-40" />
            <Skeleton className="h-4 w-72 max-w-full" />
          </div>
        ))}
      </div>
    </Loading>
  );
}
