import { useQuery } from "@tanstack/react-query";
import { nodeKindsQuery } from "../../catalog.ts";
import { NodeIcon } from "../../parts/node-icon.tsx";

const most = 5;

/** What a workflow is made of, at a glance: one icon for each service, then one for each built-in node. */
export function WorkflowIcons({ nodeKinds }: { nodeKinds: string[] }) {
  const known = useQuery(nodeKindsQuery).data;
  const icons = new Map<string, { nodeId: string; providerId: string | null; title: string }>();
  for (const nodeId of nodeKinds) {
    const kind = known?.get(nodeId);
    if (kind)
      icons.set(kind.provider?.id ?? nodeId, {
        nodeId,
        providerId: kind.provider?.id ?? null,
        title: kind.provider?.title ?? kind.title,
      });
  }
  if (icons.size === 0) return null;
  const shown = [...icons].sort(
    ([, one], [, other]) => Number(one.providerId === null) - Number(other.providerId === null),
  );
  const titles = shown.map(([, { title }]) => title).join(", ");
  return (
    <span role="img" aria-label={`Made of ${titles}`} title={titles} className="inline-flex items-center gap-1.5">
      {shown.slice(0, most).map(([key, { nodeId, providerId }]) => (
        <NodeIcon key={key} nodeId={nodeId} providerId={providerId} className="size-4" />
      ))}
      {icons.size > most && <span className="text-xs">+{icons.size - most}</span>}
    </span>
  );
}
