import { CircleCheck, CircleDashed, TriangleAlert, UserRound } from "lucide-react";
import type { Server } from "../../api/servers.ts";
import type { ConnectedTypes } from "./use-connected-types.ts";

/** Whether its tools can be used right away, as far as accounts are concerned. */
export function AccountState({ server, connected }: { server: Server; connected: ConnectedTypes }) {
  if (server.usesOAuthOnly) return <Line Icon={UserRound} text="Signs in as you" look="text-muted" />;
  if (server.credentialTypes.length === 0) return <Line Icon={CircleCheck} text="Needs no account" look="text-success" />;
  if (!connected) return <Line Icon={CircleDashed} text="…" look="text-muted" />;
  const accounts = server.credentialTypes.map((type) => connected.get(type)).filter((works) => works !== undefined);
  if (accounts.includes(false) && !accounts.includes(true))
    return <Line Icon={TriangleAlert} text="Account must be connected again" look="text-warning" />;
  if (accounts.length > 0) return <Line Icon={CircleCheck} text="Account connected" look="text-success" />;
  return <Line Icon={CircleDashed} text="No account yet" look="text-muted" />;
}

function Line({ Icon, text, look }: { Icon: typeof UserRound; text: string; look: string }) {
  return (
    <p className={`flex items-center gap-1.5 text-xs font-medium ${look}`}>
      <Icon className="size-3.5" aria-hidden="true" />
      {text}
    </p>
  );
}
