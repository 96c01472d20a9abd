import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { Variable } from "../../../src/workflows/variable-wire.ts";
import { deleteVariable, variablesQuery } from "../../api/variables.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { MyOrganization } from "../../session.ts";
import { VariableForm } from "./variables/variable-form.tsx";
import { VariableRow } from "./variables/variable-row.tsx";

const description =
  "Values that every workflow can read, such as a region or an address. Write $vars and the name in any field. Everybody in the organization sees them: passwords and tokens belong into an account.";

/** Plain values that all workflows of the organization share. */
export function Variables({ organization: { id: organizationId, role } }: { organization: MyOrganization }) {
  const { data: variables, error, refetch } = useQuery(variablesQuery(organizationId));
  const { create } = useSearch({ from: "/signed-in/o/$organizationId/organization" });
  const navigate = useNavigate({ from: "/o/$organizationId/organization" });
  const [changing, setChanging] = useState<Variable>();
  const [removing, setRemoving] = useState<Variable>();
  const builds = role !== "viewer";
  const open = (isOpen: boolean) =>
    void navigate({ search: { tab: "variables", ...(isOpen ? { create: "variable" } : {}) }, resetScroll: false });
  const isNew = builds && create === "variable";

  if (!variables)
    return error ? (
      <ProblemNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
    ) : (
      <Loading what="the variables">
        <Skeleton className="h-40" />
      </Loading>
    );
  return (
    <>
      <Card
        title={variables.length === 0 ? "No variables yet" : "Variables"}
        description={description}
        action={builds && <NewButton onPress={() => open(true)} />}
      >
        {variables.length > 0 && (
          <ul className="-mb-3 divide-y divide-line border-t border-line">
            {variables.map((variable) => (
              <VariableRow
                key={variable.name}
                variable={variable}
                onChange={builds ? () => setChanging(variable) : undefined}
                onRemove={builds ? () => setRemoving(variable) : undefined}
              />
            ))}
          </ul>
        )}
      </Card>
      <Dialog
        open={isNew || changing !== undefined}
        onOpenChange={() => (changing ? setChanging(undefined) : open(false))}
        title={changing ? `Change ${changing.name}` : "New variable"}
      >
        <VariableForm
          organizationId={organizationId}
          variable={changing}
          taken={variables.map(({ name }) => name)}
          onDone={() => (changing ? setChanging(undefined) : open(false))}
        />
      </Dialog>
      {removing && (
        <RemoveDialog organizationId={organizationId} variable={removing} onClose={() => setRemoving(undefined)} />
      )}
    </>
  );
}

function NewButton({ onPress }: { onPress: () => void }) {
  return (
    <Button look="primary" onClick={onPress}>
      <Plus className="size-4" aria-hidden="true" />
      New variable
    </Button>
  );
}

type RemoveDialogProps = { organizationId: string; variable: Variable; onClose: () => void };

function RemoveDialog({ organizationId, variable: { name }, onClose }: RemoveDialogProps) {
  const queryClient = useQueryClient();
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      description={`Workflows that read $vars.${name} fail from their next run on, until it is there again.`}
      confirm="Remove"
      act={async () => {
        await deleteVariable(organizationId, name);
        await queryClient.invalidateQueries(variablesQuery(organizationId));
      }}
      onClose={onClose}
    />
  );
}
