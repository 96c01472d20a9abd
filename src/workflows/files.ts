import { Refusal } from "../base/refusal.ts";
import type { Vault } from "../vault/vault.ts";
import type { Author } from "./author.ts";
import type { WorkflowFile, WorkflowImport } from "./file-wire.ts";
import type { SaveWorkflow } from "./save-workflow.ts";
import type { Place } from "./store.ts";
import type { SavedWorkflow, Workflow } from "./wire.ts";
import { fromFile, toFile } from "./workflow-file.ts";

type Options = {
  vault: Pick<Vault, "credentials">;
  /** With the canvas of the draft, where nothing else was saved yet, or where it is asked for. */
  get: (place: Place, preferDraft: boolean) => Promise<Workflow>;
  create: SaveWorkflow["create"];
};

/** Workflows as files, to keep them elsewhere or carry them to another organization. */
export function createFiles({ vault, get, create }: Options) {
  return {
    async write(place: Place, preferDraft = false): Promise<WorkflowFile> {
      return toFile(await get(place, preferDraft), await vault.credentials.list(place.organizationId));
    },

    /** What has no equal in the organization is left out, and named in the warnings. */
    async read(organizationId: string, file: WorkflowImport, author: Author | null): Promise<SavedWorkflow> {
      const { name, description, tool, publish } = file;
      const { canvas, warnings: left } = fromFile(file.canvas, await vault.credentials.list(organizationId));
      const request = { name, description, canvas, publish };
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
