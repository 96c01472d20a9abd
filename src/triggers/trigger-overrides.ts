import { Refusal } from "../base/refusal.ts";
import type { NodeOverride } from "../workflows/wire.ts";

/** Refuses overrides that a run of the workflow would be refused with. */
export type CheckOverrides = (request: {
  organizationId: string;
  workflowId: string;
  overrides: NodeOverride[];
}) => Promise<void>;

/** For a run they are its nodes; here they are one field of several. */
export const namingOverrides =
  (check: CheckOverrides): CheckOverrides =>
  async (request) => {
    if (request.overrides.length === 0) return;
    await check(request).catch((error: unknown) => {
      throw error instanceof Refusal ? error.reworded((text) => text.replace(/^(\/?)nodes\b/, "$1overrides")) : error;
    });
  };
