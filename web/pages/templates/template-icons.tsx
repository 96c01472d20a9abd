import { NodeIcon } from "../../parts/node-icon.tsx";
import type { DescribedTemplate } from "./describe-template.ts";

const isBuiltIn = (nodeId: string): boolean => !nodeId.startsWith("system_");

/** The services of a template at a glance; of one without any, its nodes. */
export function TemplateIcons({ template: { services, canvas } }: { template: DescribedTemplate }) {
  const nodeIds = [...new Set(canvas.nodes.map(({ nodeId }) => nodeId))].filter(isBuiltIn).slice(0, 4);
  return (
    <span className="flex items-center gap-1.5">
      {services.map(({ id }) => (
        <span key={id} className="grid size-9 place-items-center rounded-lg bg-page">
          <NodeIcon providerId={id} className="size-5" />
        </span>
      ))}
      {services.length === 0 &&
        nodeIds.map((nodeId) => (
          <span key={nodeId} className="grid size-9 place-items-center rounded-lg bg-page">
            <NodeIcon nodeId={nodeId} providerId={null} className="size-5" />
          </span>
        ))}
    </span>
  );
}
