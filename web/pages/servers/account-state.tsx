import { CircleCheck, CircleDashed, TriangleAlert, UserRound } from "lucide-react";
import type { CredentialSummary } from "../../../src/vault/wire.ts";
import type { Server } from "../../api/servers.ts";
import { type ConnectedTypes, works } from "./use-connected-types.ts";

/** Whether its tools can be used right away, as far as accounts are concerned. */
export function AccountState({ server, connected }: { server: Server; connected: ConnectedTypes }) {
  if (server.usesOAuthOnly) return <Line Icon={UserRound} text="Signs in as you" look="text-muted" />;
  if (server.credentialTypes.length === 0)
    return <Line Icon={CircleCheck} text="Needs no account" look="text-success" />;
  if (!connected) return <Line Icon={CircleDashed} text="…" look="text-muted" />;
  const [type = ""] = server.credentialTypes;
  const { accounts = [], usual } = connected.get(type) ?? {};
  if (usual && works(usual)) return <Line Icon={CircleCheck} text={`Calls use “${usual.name}”`} look="text-success" />;
  if (usual)
    return (
      <Line Icon={TriangleAlert} text={`Calls use “${usual.name}”, which ${faultWords(usual)}`} look="text-warning" />
    );
  if (server.tools.every(({ worksWithoutAccount }) => worksWithoutAccount))
    return <Line Icon={CircleCheck} text="Works without an account" look="text-success" />;
  if (accounts.some(works))
    return <Line Icon={TriangleAlert} text="Calls have to name an account" look="text-warning" />;
  if (accounts.length > 0)
    return <Line Icon={TriangleAlert} text="Account must be connected again" look="text-warning" />;
  return <Line Icon={CircleDashed} text="No account yet" look="text-muted" />;
}

const faultWords = ({ health }: CredentialSummary) =>
  health === "failing" ? "does not work" : "must be connected again";

function Line({ Icon, text, look }: { Icon: typeof UserRound; text: string; look: string }) {
  return (
    <p className={`flex min-w-0 items-center gap-1.5 text-xs font-medium wrap-anywhere ${look}`}>
      <Icon className="size-3.5 shrink-0" aria-hidden="true" />
      {text}
    </p>
  );
}
