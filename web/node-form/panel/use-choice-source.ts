import type { ChoiceSource } from "../../api/credentials.ts";
import { useDefault } from "./credential-field.tsx";
import type { NodePanelProps } from "./node-panel-props.ts";

/** The node's account, for fields that offer what it has; undefined while none is chosen. */
export function useChoiceSource({ organizationId, node, kind }: NodePanelProps): ChoiceSource | undefined {
  const type = kind?.credentials[0] ?? "";
  const standard = useDefault(organizationId, type);
  const credentialId = (node.credentials?.[type] ?? standard?.reference)?.split(":").at(-1);
  return credentialId === undefined ? undefined : { organizationId, credentialId };
}
