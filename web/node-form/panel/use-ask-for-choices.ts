import { useCallback } from "react";
import { choicesQuery } from "../../api/credentials.ts";
import type { AskForChoices } from "../form-context.ts";
import { useDefault } from "./credential-field.tsx";
import type { NodePanelProps } from "./node-panel-props.ts";

/** For fields that offer what the node's account has; undefined while none is chosen. */
export function useAskForChoices({ organizationId, node, kind }: NodePanelProps): AskForChoices | undefined {
  const type = kind?.credentials[0] ?? "";
  const standard = useDefault(organizationId, type);
  const credentialId = (node.credentials?.[type] ?? standard?.reference)?.split(":").at(-1);
  const ask = useCallback(
    (list: string) => choicesQuery(organizationId, credentialId ?? "", list),
    [organizationId, credentialId],
  );
  return credentialId === undefined ? undefined : ask;
}
