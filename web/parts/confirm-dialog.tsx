import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

type ConfirmDialogProps = {
  title: string;
  description: ReactNode;
  confirm: string;
  act: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks once before something that cannot be taken back. Render it while the question is open. */
export function ConfirmDialog({ title, description, confirm, act, onClose }: ConfirmDialogProps) {
  const mutation = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <Dialog open onOpenChange={onClose} title={title} description={description}>
      <div className="grid gap-4">
        {mutation.isError && <ProblemNotice error={mutation.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={mutation.isPending} onClick={() => mutation.mutate()}>
            {confirm}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
