import { readFile } from "node:fs/promises";
import { z } from "zod";
import { fieldMessage } from "../base/field-message.ts";
import { readJson } from "../base/json.ts";
import { Refusal } from "../base/refusal.ts";
import { workflowFile } from "../workflows/wire.ts";
import { pickAction, readOptions, requireOrganization, withParts } from "./command-line.ts";

const inOrganization = z.object({ organization: z.uuid() });
const search = inOrganization.extend({ search: z.string().optional() });
const oneWorkflow = inOrganization.extend({ id: z.uuid() });
const oneFile = inOrganization.extend({ file: z.string(), name: workflowFile.shape.name.optional() });

const pageSize = 100;

export async function workflows(words: string[]) {
  const { action, rest } = pickAction(words, { list, export: write, import: read });
  return await action(rest);
}

async function list(words: string[]) {
  const { organization, search: text } = readOptions(words, search);
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    const found: unknown[] = [];
    for (;;) {
      const { data, total } = await parts.workflows.page(organization, {
        search: text,
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
  return await withParts(({ workflows: saved }) => saved.files.write(organization, id));
}

async function read(words: string[]) {
  const { organization, file: path, name } = readOptions(words, oneFile);
  const bytes = await readFile(path).catch(() => {
    throw new Error("--file: cannot be read");
  });
  const file = workflowFile.safeParse(readJson(bytes), { error: fieldMessage });
  if (!file.success)
    throw new Error(
      `--file: ${file.error.issues.map(({ path: at, message }) => `${at.join("/")} ${message}`).join("; ")}`,
    );
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    const wanted = { ...file.data, ...(name ? { name } : {}) };
    const { id, warnings } = await parts.workflows.files.read(organization, wanted, null).catch(sayForFile);
    return { id, warnings };
  });
}

/** The faults are in the file, not in options of the command. */
function sayForFile(error: unknown): never {
  if (!(error instanceof Refusal && error.errors)) throw error;
  throw new Error(`--file: ${error.errors.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join("; ")}`);
}
