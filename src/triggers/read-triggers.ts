import { refersTo, toReference } from "../vault/reference.ts";
import type { NodeOverride, TriggerCount } from "../workflows/wire.ts";
import {
  countTriggers,
  listTriggers,
  listTriggersWith,
  type NamedTriggerRow,
  pageOfTriggers,
  type TriggersDb,
} from "./store.ts";
import { toListed, toSummary } from "./trigger-view.ts";
import type { TriggerList, TriggerQuery } from "./wire.ts";

type TriggerPage = { search?: string | undefined; cursor?: string | undefined; offset: number; limit: number };

/** Lists of an organization's triggers, and who uses what. */
export const createTriggerReads = (tables: TriggersDb) => ({
  async list(organizationId: string, { limit, cursor, failing, workflowId }: TriggerQuery): Promise<TriggerList> {
    const isFailing = failing === undefined ? undefined : failing === "true";
    const rows = await listTriggers(tables, organizationId, {
      workflowId,
      isFailing,
      beforeId: cursor,
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    return { data: page.map(toListed), nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
  },

  /** Those that check deliveries or look with a credential, or give it to their runs. */
  async usesOfCredential(organizationId: string, credentialId: string): Promise<{ id: string; name: string }[]> {
    const rows = await listTriggersWith(tables, organizationId, { credentialId, text: toReference(credentialId) });
    return rows.filter((row) => usesCredential(row, credentialId.toLowerCase())).map(({ id, name }) => ({ id, name }));
  },

  /** By workflow; one without any is missing. */
  async countOf(organizationId: string, workflowIds: string[]): Promise<Map<string, TriggerCount>> {
    const rows = await countTriggers(tables, organizationId, workflowIds);
    return new Map(rows.map((row) => [row.workflow_id, { active: Number(row.active), total: Number(row.total) }]));
  },

  /** By position or after a cursor, with the number of all. */
  async page(organizationId: string, { cursor: beforeId, limit, ...page }: TriggerPage) {
    const { total, rows } = await pageOfTriggers(tables, organizationId, { ...page, beforeId, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    return {
      total,
      nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
      triggers: shown.map(toSummary),
    };
  },
});

const usesCredential = ({ credential_id, overrides }: NamedTriggerRow, credentialId: string): boolean =>
  credential_id === credentialId ||
  (JSON.parse(overrides) as NodeOverride[]).some(({ credentials }) => refersTo(credentials, credentialId));
