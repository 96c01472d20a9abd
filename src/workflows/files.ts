import { maxFieldFaults, Refusal } from "../base/refusal.ts";
import type { Vault } from "../vault/vault.ts";
import type { Author } from "./author.ts";
import type { CheckCanvas } from "./check-canvas.ts";
import { fromErrorWorkflowOfFile, toErrorWorkflowOfFile } from "./error-workflows.ts";
import type { WorkflowFile, WorkflowImport } from "./file-wire.ts";
import { convertN8n } from "./n8n/convert.ts";
import type { SaveWorkflow } from "./save-workflow.ts";
import type { Place, WorkflowsDb } from "./store.ts";
import type { N8nConversion } from "./translation-wire.ts";
import type { SavedWorkflow, Workflow } from "./wire.ts";
import { fromFile, toFile } from "./workflow-file.ts";

type Options = {
  tables: WorkflowsDb;
  vault: Pick<Vault, "credentials">;
  /** With the canvas of the draft, where nothing else was saved yet, or where it is asked for. */
  get: (place: Place, preferDraft: boolean) => Promise<Workflow>;
  create: SaveWorkflow["create"];
  check: CheckCanvas;
};

/** Workflows as files, to keep them elsewhere or carry them to another organization. */
export function createFiles({ tables, vault, get, create, check }: Options) {
  return {
    async write(place: Place, preferDraft = false): Promise<WorkflowFile> {
      const { organizationId } = place;
      const workflow = await get(place, preferDraft);
      const errorWorkflow = await toErrorWorkflowOfFile(tables, organizationId, workflow.errorWorkflow);
      return toFile(workflow, await vault.credentials.list(organizationId), errorWorkflow);
    },

    /** A workflow of n8n as a canvas, with a report on each of its nodes and with what hinders publishing it. Nothing is stored. */
    async translateN8n(organizationId: string, file: unknown): Promise<N8nConversion> {
      const converted = await convertN8n(file);
      const { faults, warnings } = await check(organizationId, converted.canvas);
      return { ...converted, errors: faults.slice(0, maxFieldFaults), warnings };
    },

    /** What has no equal in the organization is left out, and named in the warnings. */
    async read(organizationId: string, file: WorkflowImport, author: Author | null): Promise<SavedWorkflow> {
      const { name, description, tool, publish } = file;
      const { canvas, warnings: ofAccounts } = fromFile(file.canvas, await vault.credentials.list(organizationId));
      const { errorWorkflow, warnings } = await fromErrorWorkflowOfFile(tables, organizationId, file.errorWorkflow);
      const left = [...ofAccounts, ...warnings];
      const request = { name, description, errorWorkflow, canvas, publish };
      try {
        const saved = await create(organizationId, { ...request, tool }, author);
        return { ...saved, warnings: [...left, ...without(saved, left)] };
      } catch (error) {
        if (!(error instanceof Refusal && error.code === "conflict" && tool)) throw error;
        const saved = await create(organizationId, request, author);
        const taken = { pointer: "/tool/name", detail: "is left out: it is the name of another workflow's tool" };
        return { ...saved, warnings: [taken, ...left, ...without(saved, left)] };
      }
    },
  };
}

const without = ({ warnings }: SavedWorkflow, said: { pointer: string }[]) =>
  warnings.filter(({ pointer }) => !said.some((other) => other.pointer === pointer));
