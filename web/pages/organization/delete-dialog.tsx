import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { deleteOrganization } from "../../api/organization.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { controlLook } from "../../parts/field.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import type { MyOrganization } from "../../session.ts";

/** Deletes the organization once its name was typed in. */
export function DeleteDialog({ organization, onClose }: { organization: MyOrganization; onClose: () => void }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const isRight = typed.trim() === organization.name.trim();
  // A full page load, so that nothing of the organization stays in memory.
  const act = useMutation({
    mutationFn: () => deleteOrganization(organization.id),
    onSuccess: () => location.assign("/"),
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Delete ${organization.name}?`}
      description="Everything in it is removed for everybody at once: workflows, runs, history, credentials, API keys and members."
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isRight && !act.isPending) act.mutate();
        }}
      >
        <div className="grid gap-1.5">
          <label htmlFor={id} className="text-sm font-medium wrap-anywhere">
            Type {organization.name} to confirm
          </label>
          <input
            id={id}
            value={typed}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
            className={controlLook}
          />
        </div>
        {act.isError && <ProblemNotice error={act.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={!isRight} busy={act.isPending} className="disabled:opacity-50">
            Delete for ever
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
