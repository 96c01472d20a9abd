import { CircleCheck, CircleHelp, CircleX, Clock, Unplug } from "lucide-react";
import type { Health } from "../../../src/vault/wire.ts";

/** Whether a credential works: in words, with a sign and a colour that say the same. */
export function HealthBadge({ health }: { health: Health }) {
  const { word, Icon, look } = healthLooks[health];
  return (
    <span className={`inline-flex shrink-0 items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium ${look}`}>
      <Icon className="size-3.5 shrink-0" aria-hidden="true" />
      {word}
    </span>
  );
}

const healthLooks = {
  unknown: { word: "Not checked", Icon: CircleHelp, look: "bg-hover text-muted" },
  ok: { word: "Works", Icon: CircleCheck, look: "bg-success-soft text-success" },
  expiring: { word: "Expires soon", Icon: Clock, look: "bg-warning-soft text-warning" },
  failing: { word: "Failing", Icon: CircleX, look: "bg-danger-soft text-danger" },
  needs_reconnect: { word: "Not connected", Icon: Unplug, look: "bg-warning-soft text-warning" },
} satisfies Record<Health, unknown>;
