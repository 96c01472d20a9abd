import {
  ArrowDownWideNarrow,
  Bot,
  CopyMinus,
  Funnel,
  GitBranch,
  GitMerge,
  Hourglass,
  OctagonX,
  PenLine,
  Play,
  Repeat,
  Reply,
  Sigma,
  Split,
  SquareFunction,
  Workflow,
} from "lucide-react";
import { path } from "../request.ts";

/** The icon of a provider, or of a built-in node. Always beside a name, so it is hidden from assistive technology. */
export function NodeIcon({
  nodeId,
  providerId,
  className = "size-5",
}: {
  nodeId?: string;
  providerId: string | null;
  className?: string;
}) {
  if (providerId)
    return <img src={path`/api/providers/${providerId}/icon.svg`} alt="" className={`${className} shrink-0`} />;
  const Icon = engineIcons[nodeId ?? ""] ?? Workflow;
  return <Icon className={`${className} shrink-0 text-accent`} aria-hidden="true" />;
}

const engineIcons: Record<string, typeof Workflow> = {
  start: Play,
  condition: GitBranch,
  switch: Split,
  merge: GitMerge,
  loop: Repeat,
  set_fields: PenLine,
  filter: Funnel,
  sort_and_limit: ArrowDownWideNarrow,
  aggregate: Sigma,
  dedupe: CopyMinus,
  transform: SquareFunction,
  wait: Hourglass,
  call_workflow: Workflow,
  respond: Reply,
  stop: OctagonX,
  ai_answer: Bot,
};
