import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

type ConfirmDialogProps = {
  title: string;
  description: ReactNode;
  confirm: string;
  /** Most questions are about something that is lost. */
  look?: "danger" | "primary";
  act: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks once before something that cannot be taken back, or that is easily done by mistake. Render it while the question is open. */
export function ConfirmDialog({ title, description, confirm, look = "danger", act, onClose }: ConfirmDialogProps) {
  const mutation = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <Dialog open onOpenChange={onClose} title={title} description={description}>
      <div className="grid gap-4">
        {mutation.isError && <ProblemNotice error={mutation.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look={look} busy={mutation.isPending} onClick={() => mutation.mutate()}>
            {confirm}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
