import { type Generated, type Kysely, type Selectable, sql } from "kysely";
import type { TimePlace } from "../base/time-cursor.ts";
import type { Database, Sql, Statement } from "../storage/database.ts";

type WorkflowTables = {
  workflow: {
    organization_id: string;
    id: string;
    name: string;
    description: string;
    folder: Generated<string>;
    tags: Generated<string[]>;
    is_active: boolean;
    /** Which one runs; nothing as long as `is_published` is false. */
    version: Generated<number>;
    is_published: Generated<boolean>;
    draft_revision: Generated<number>;
    node_count: number;
    node_kinds: string[];
    tool_name: string | null;
    tool_inputs: string | null;
    /** `default`, `none`, or the id of a workflow. */
    error_workflow: Generated<string>;
    created_by: string | null;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
    deleted_at: Date | null;
  };
  workflow_version: {
    organization_id: string;
    workflow_id: string;
    version: number;
    canvas: string;
    canvas_sha256: Buffer;
    note: string;
    created_by: string | null;
    created_by_key: string | null;
    created_by_name: string | null;
    created_at: Generated<Date>;
  };
  workflow_draft: {
    organization_id: string;
    workflow_id: string;
    revision: number;
    based_on: number;
    canvas: string;
    canvas_sha256: Buffer;
    faults: string;
    fault_count: number;
    saved_by: string | null;
    saved_by_key: string | null;
    saved_by_name: string | null;
    saved_at: Generated<Date>;
  };
  workflow_pin: {
    organization_id: string;
    workflow_id: string;
    node_id: string;
    outputs: string;
    item_count: number | null;
    pinned_by_name: string | null;
    pinned_at: Generated<Date>;
  };
};

export type WorkflowsDb = Kysely<WorkflowTables>;
export type WorkflowRow = Selectable<WorkflowTables["workflow"]>;
export type VersionRow = Selectable<WorkflowTables["workflow_version"]>;
export type DraftRow = Selectable<WorkflowTables["workflow_draft"]>;
/** With the canvas that runs; null as long as nothing was published. */
export type StoredWorkflow = WorkflowRow & { canvas: string | null; canvas_sha256: Buffer | null };

/** Names one workflow. The organization always goes along, so that a foreign id finds nothing. */
export type Place = { organizationId: string; workflowId: string };

/** What of a workflow can change without a new version of its canvas. */
export type Settings = Pick<
  WorkflowRow,
  "name" | "description" | "folder" | "tags" | "is_active" | "tool_name" | "tool_inputs" | "error_workflow"
>;
export type NewVersion = Omit<VersionRow, "organization_id" | "workflow_id" | "created_at">;

export const workflowTables = (db: Database): WorkflowsDb => db.tables<WorkflowTables>();

export const inTransaction = <Value>(
  db: WorkflowsDb,
  work: (transaction: WorkflowsDb) => Promise<Value>,
): Promise<Value> => db.transaction().execute(work);

export const insertWorkflow = (
  db: WorkflowsDb,
  { organizationId, workflowId }: Place,
  row: Settings & Pick<WorkflowRow, "is_published" | "node_count" | "node_kinds" | "created_by">,
) =>
  db
    .insertInto("workflow")
    .values({ organization_id: organizationId, id: workflowId, ...row })
    .execute();

export const insertVersion = (db: WorkflowsDb, { organizationId, workflowId }: Place, row: NewVersion) =>
  db
    .insertInto("workflow_version")
    .values({ organization_id: organizationId, workflow_id: workflowId, ...row })
    .execute();

const liveWorkflow = (db: WorkflowsDb, { organizationId, workflowId }: Place) =>
  db
    .selectFrom("workflow")
    .leftJoin("workflow_version", (join) =>
      join
        .onRef("workflow_version.organization_id", "=", "workflow.organization_id")
        .onRef("workflow_version.workflow_id", "=", "workflow.id")
        .onRef("workflow_version.version", "=", "workflow.version"),
    )
    .selectAll("workflow")
    .select(["workflow_version.canvas", "workflow_version.canvas_sha256"])
    .where((where) => where.or([where("canvas", "is not", null), where("is_published", "=", false)]))
    .where("workflow.organization_id", "=", organizationId)
    .where("workflow.id", "=", workflowId)
    .where("workflow.deleted_at", "is", null);

export const findWorkflow = (db: WorkflowsDb, place: Place): Promise<StoredWorkflow | undefined> =>
  liveWorkflow(db, place).executeTakeFirst();

/** Whoever else wants to change it waits until the transaction ends, and then reads what it left behind. */
export async function lockWorkflow(
  db: WorkflowsDb,
  { organizationId, workflowId }: Place,
): Promise<StoredWorkflow | undefined> {
  const query = db
    .selectFrom("workflow")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("id", "=", workflowId);
  await query.forUpdate().execute();
  return await findWorkflow(db, { organizationId, workflowId });
}

export const updateWorkflow = (
  db: WorkflowsDb,
  { organizationId, workflowId }: Place,
  change: Partial<Settings & Omit<WorkflowRow, "id" | "organization_id">>,
) =>
  db
    .updateTable("workflow")
    .set({ ...change, updated_at: sql<Date>`clock_timestamp()` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", workflowId)
    .execute();

const markDeletedStatement: Statement = {
  name: "",
  text: "UPDATE workflow SET deleted_at = now() WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL RETURNING id",
};

const forgetErrorWorkflowStatement: Statement = {
  name: "",
  text: `WITH forgotten AS (UPDATE workflow SET error_workflow = 'default' WHERE organization_id = $1 AND error_workflow = $2::uuid::text)
    UPDATE workflow_defaults SET error_workflow_id = NULL WHERE organization_id = $1 AND error_workflow_id = $2::uuid`,
};

/** Nobody is told of failures through it any more. */
export async function markDeleted(sql: Sql, { organizationId, workflowId }: Place): Promise<boolean> {
  const isDeleted = (await sql(markDeletedStatement, [organizationId, workflowId])).length > 0;
  if (isDeleted) await sql(forgetErrorWorkflowStatement, [organizationId, workflowId]);
  return isDeleted;
}

type Page = { offset: number; limit: number };

type Search = Page & {
  search: string;
  folder?: string | undefined;
  tags?: string[] | undefined;
  after: TimePlace | undefined;
};

/**
 * The page is chosen before its rows are read, from what the index knows where nothing is searched for. What is searched for is looked for once, for the
 * page and for the number of all.
 */
export async function pageOfWorkflows(
  db: WorkflowsDb,
  organizationId: string,
  { search, folder = "", tags = [], after, offset, limit }: Search,
) {
  const text = search.toLowerCase();
  const found = db
    .selectFrom("workflow")
    .select(["id", "updated_at"])
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .$if(search !== "", (query) =>
      query.where(sql<boolean>`strpos(lower(name || chr(10) || description), ${text}) > 0`),
    )
    .$if(folder !== "", (query) =>
      query.where(
        sql<boolean>`folder <> '' AND (folder COLLATE "C" = ${folder} OR starts_with(folder COLLATE "C", ${`${folder}/`}))`,
      ),
    )
    .$if(tags.length > 0, (query) => query.where(sql<boolean>`tags @> ${tags}::text[]`));
  const isNarrowed = search !== "" || folder !== "" || tags.length > 0;
  const { rows } = await sql<WorkflowRow & { at: string; total: number }>`
    WITH found AS ${isNarrowed ? sql`MATERIALIZED` : sql`NOT MATERIALIZED`} (${found}),
    page AS (
      SELECT id FROM found
      ${after ? sql`WHERE (updated_at, id) < (to_timestamp(0) + ${after.at}::bigint * interval '1 microsecond', ${after.id}::uuid)` : sql``}
      ORDER BY updated_at DESC, id DESC OFFSET ${offset} LIMIT ${limit}
    ), counted AS (SELECT count(*) AS total FROM found)
    SELECT workflow.*, ((extract(epoch FROM workflow.updated_at) * 1000000)::bigint)::text AS at, counted.total
    FROM counted LEFT JOIN page ON true
    LEFT JOIN workflow ON workflow.organization_id = ${organizationId} AND workflow.id = page.id
    ORDER BY workflow.updated_at DESC, workflow.id DESC`.execute(db);
  return { rows: rows.filter(({ id }) => id !== null), total: Number(rows[0]?.total ?? 0) };
}

const versionsOf = (db: WorkflowsDb, { organizationId, workflowId }: Place) =>
  db.selectFrom("workflow_version").where("organization_id", "=", organizationId).where("workflow_id", "=", workflowId);

export async function pageOfVersions(db: WorkflowsDb, place: Place, { offset, limit }: Page) {
  const author = ["created_by", "created_by_key", "created_by_name"] as const;
  const columns = ["version", "note", "canvas_sha256", ...author, "created_at"] as const;
  const [rows, { total }] = await Promise.all([
    versionsOf(db, place).select(columns).orderBy("version", "desc").offset(offset).limit(limit).execute(),
    versionsOf(db, place)
      .select((select) => select.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

export const findVersion = (db: WorkflowsDb, place: Place, version: number): Promise<VersionRow | undefined> =>
  versionsOf(db, place).selectAll().where("version", "=", version).executeTakeFirst();

// On the way of every trigger.

/** `version` is the published one, and 0 as long as there is none. */
export type RunnableRow = { organizationId: string; id: string; name: string; isActive: boolean; version: number };

const runnableStatement: Statement = {
  name: "workflow_to_run",
  text: `SELECT workflow.organization_id AS "organizationId", workflow.id, workflow.name, workflow.is_active AS "isActive",
      CASE WHEN workflow.is_published THEN workflow.version ELSE 0 END AS version
    FROM unnest($1::uuid[], $2::uuid[]) AS asked (organization_id, id)
    JOIN workflow ON workflow.organization_id = asked.organization_id AND workflow.id = asked.id
    WHERE workflow.deleted_at IS NULL`,
};

export const findRunnable = async (db: Database, places: readonly Place[]): Promise<RunnableRow[]> =>
  await db.prepared<RunnableRow>(runnableStatement, [
    places.map(({ organizationId }) => organizationId),
    places.map(({ workflowId }) => workflowId),
  ]);

const canvasStatement: Statement = {
  name: "workflow_version_canvas",
  text: "SELECT canvas FROM workflow_version WHERE organization_id = $1 AND workflow_id = $2 AND version = $3",
};

export const findCanvas = async (
  db: Database,
  { organizationId, workflowId }: Place,
  version: number,
): Promise<string | undefined> =>
  (await db.prepared<{ canvas: string }>(canvasStatement, [organizationId, workflowId, version]))[0]?.canvas;

const offeredStatement: Statement = {
  name: "workflow_offered",
  text: `SELECT id, name, description, tool_name AS "toolName", tool_inputs AS "toolInputs" FROM workflow
    WHERE organization_id = $1 AND tool_name IS NOT NULL AND is_active AND is_published AND deleted_at IS NULL ORDER BY tool_name`,
};

type OfferedRow = { id: string; name: string; description: string; toolName: string; toolInputs: string | null };

export const listOffered = async (db: Database, organizationId: string): Promise<OfferedRow[]> =>
  await db.prepared<OfferedRow>(offeredStatement, [organizationId]);
