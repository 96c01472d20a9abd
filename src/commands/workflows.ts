import { readFile } from "node:fs/promises";
import { z } from "zod";
import { fieldMessage } from "../base/field-message.ts";
import { readJson } from "../base/json.ts";
import { Refusal } from "../base/refusal.ts";
import { workflowFile } from "../workflows/file-wire.ts";
import { folder } from "../workflows/label-wire.ts";
import { workflowChange, workflowRequest } from "../workflows/wire.ts";
import { pickAction, readOptions, requireOrganization, withParts } from "./command-line.ts";
import { readData, sayForData } from "./data-option.ts";
import { readOptionsWithSecret } from "./secret-option.ts";
import { compare, draft, publish, rollback, versions } from "./workflow-versions.ts";

const inOrganization = z.object({ organization: z.uuid() });
const search = inOrganization.extend({
  search: z.string().optional(),
  folder: folder.optional(),
  tag: z.array(z.string()).optional(),
});
const oneWorkflow = inOrganization.extend({ id: z.uuid() });
const asDraft = { draft: z.boolean().optional() };
const oneFile = inOrganization.extend({
  file: z.string(),
  name: workflowFile.shape.name.optional(),
  from: z.enum(["switchyard", "n8n"]).default("switchyard"),
  check: z.boolean().optional(),
  ...asDraft,
});
const newWorkflow = inOrganization.extend({ data: z.string(), ...asDraft });
const changedWorkflow = oneWorkflow.extend({ data: z.string(), ...asDraft });

const pageSize = 100;

export async function workflows(words: string[]) {
  const ofVersions = { draft, publish, compare, versions, rollback };
  const { action, rest } = pickAction(words, { list, export: write, import: read, create, update, ...ofVersions });
  return await action(rest);
}

/** What is said with `--draft` does not run until it is published. */
const publication = (isDraft: boolean | undefined) => (isDraft ? { publish: false } : {});

async function create(words: string[]) {
  const { organization, data, draft: isDraft } = await readOptionsWithSecret(words, newWorkflow, { secret: "data" });
  const request = { ...readData(data, workflowRequest), ...publication(isDraft) };
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    return await parts.workflows.create(organization, request, null).catch(sayForData);
  });
}

async function update(words: string[]) {
  const given = await readOptionsWithSecret(words, changedWorkflow, { secret: "data" });
  const change = { ...readData(given.data, workflowChange), ...publication(given.draft) };
  const place = { organizationId: given.organization, workflowId: given.id };
  return await withParts(({ workflows: saved }) => saved.update(place, change, null).catch(sayForData));
}

async function list(words: string[]) {
  const { organization, ...narrowed } = readOptions(words, search);
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    const found: unknown[] = [];
    for (;;) {
      const { data, total } = await parts.workflows.page(organization, {
        ...narrowed,
        offset: found.length,
        limit: pageSize,
      });
      found.push(...data);
      if (data.length === 0 || found.length >= total) return found;
    }
  });
}

/** What is printed is the file. */
async function write(words: string[]) {
  const { organization, id } = readOptions(words, oneWorkflow);
  return await withParts(({ workflows: saved }) => saved.files.write({ organizationId: organization, workflowId: id }));
}

async function read(words: string[]) {
  const { organization, file: path, name, draft: isDraft, from, check } = readOptions(words, oneFile);
  const bytes = await readFile(path).catch(() => {
    throw new Error("--file: cannot be read");
  });
  if (from === "n8n") return await readN8n(organization, readJson(bytes), { name, check });
  if (check) throw new Error("--check: only with --from n8n");
  const file = workflowFile.safeParse(readJson(bytes), { error: fieldMessage });
  if (!file.success)
    throw new Error(
      `--file: ${file.error.issues.map(({ path: at, message }) => `${at.join("/")} ${message}`).join("; ")}`,
    );
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    const wanted = { ...file.data, ...(name ? { name } : {}), ...publication(isDraft) };
    const { id, warnings, faults } = await parts.workflows.files.read(organization, wanted, null).catch(sayForFile);
    return { id, warnings, ...(faults ? { faults } : {}) };
  });
}

type Wanted = { name: string | undefined; check: boolean | undefined };

/** Always a draft: what became of its nodes is to be looked at first. With `--check` only that is told. */
async function readN8n(organization: string, file: unknown, { name, check }: Wanted) {
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    const { canvas, ...report } = await parts.workflows.files.translateN8n(organization, file).catch(sayForFile);
    if (check) return report;
    const request = { name: name ?? report.name, canvas, publish: false };
    const { id } = await parts.workflows.create(organization, request, null);
    return { id, ...report };
  });
}

/** The faults are in the file, not in options of the command. */
function sayForFile(error: unknown): never {
  if (!(error instanceof Refusal && error.errors)) throw error;
  throw new Error(`--file: ${error.errors.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join("; ")}`);
}
