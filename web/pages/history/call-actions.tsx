import { Copy, RotateCcw } from "lucide-react";
import { useState } from "react";
import type { ToolCall } from "../../../src/history/wire.ts";
import { Button } from "../../parts/button.tsx";
import { useOrganization } from "../../session.ts";
import { CopyDialog } from "./copy-dialog.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";

export function CallActions({ organizationId, call }: { organizationId: string; call: ToolCall }) {
  const { role } = useOrganization();
  const [open, setOpen] = useState<"replay" | "copy">();
  const close = () => setOpen(undefined);
  return (
    <div className="flex flex-wrap gap-2">
      {role !== "viewer" && (
        <Button onClick={() => setOpen("replay")}>
          <RotateCcw className="size-4" aria-hidden="true" />
          Replay
        </Button>
      )}
      <Button onClick={() => setOpen("copy")}>
        <Copy className="size-4" aria-hidden="true" />
        Copy as curl or JSON
      </Button>
      {open === "replay" && <ReplayDialog organizationId={organizationId} call={call} onClose={close} />}
      {open === "copy" && <CopyDialog organizationId={organizationId} recordId={call.id} onClose={close} />}
    </div>
  );
}
