import { Eye, PenLine, Trash2 } from "lucide-react";
import type { ServerTool } from "../../api/servers.ts";
import { effectWords, findEffect } from "./hints.ts";

export function EffectBadge({ tool }: { tool: ServerTool }) {
  const effect = findEffect(tool);
  const { Icon, look } = looks[effect];
  return (
    <span className={`inline-flex shrink-0 items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium ${look}`}>
      <Icon className="size-3.5" aria-hidden="true" />
      {effectWords[effect]}
    </span>
  );
}

const looks = {
  reads: { Icon: Eye, look: "bg-success-soft text-success" },
  changes: { Icon: PenLine, look: "bg-accent-soft text-accent" },
  deletes: { Icon: Trash2, look: "bg-warning-soft text-warning" },
};
