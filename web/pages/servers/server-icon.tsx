import { UserRound, Workflow } from "lucide-react";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { workflowServerId } from "./organization-servers.ts";

/** The icon of a server. Always beside its name. */
export function ServerIcon({ serverId, className = "size-6" }: { serverId: string; className?: string }) {
  if (serverId === "platform") return <UserRound className={`${className} shrink-0 text-accent`} aria-hidden="true" />;
  if (serverId === workflowServerId)
    return <Workflow className={`${className} shrink-0 text-accent`} aria-hidden="true" />;
  return <NodeIcon providerId={serverId} className={className} />;
}
