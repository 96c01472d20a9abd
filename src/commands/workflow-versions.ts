import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import type { VersionEntry } from "../workflows/wire.ts";
import { readOptions, withParts } from "./command-line.ts";

const number = z.coerce.number().int().min(1).max(2_147_483_647);
const compared = z.union([z.enum(["published", "draft"]), number], { error: "must be a number, published or draft" });
const note = z.string().max(500).optional();
const oneWorkflow = z.object({ organization: z.uuid(), id: z.uuid() });
const oneDraft = oneWorkflow.extend({ expectedDraft: number.optional() });
const readDraft = oneDraft.extend({ discard: z.boolean().optional() });
const publication = oneDraft.extend({ note, expectedVersion: number.optional(), off: z.boolean().optional() });
const comparison = oneWorkflow.extend({ from: compared.optional(), to: compared.optional() });
const oldVersion = oneWorkflow.extend({ version: number, note });

const pageSize = 100;

/** Prints the draft, or throws it away. */
export async function draft(words: string[]) {
  const { discard, expectedDraft, ...named } = readOptions(words, readDraft);
  const place = toPlace(named);
  return await withParts(async ({ workflows }) => {
    if (!discard) return await workflows.drafts.get(place);
    await workflows.drafts.discard(place, expectedDraft);
    return { id: place.workflowId, discarded: true };
  });
}

export async function publish(words: string[]) {
  const { off, note: why, expectedDraft, expectedVersion, ...named } = readOptions(words, publication);
  const asked = { note: why, expectedDraft, expectedVersion, ...(off ? { isActive: false } : {}) };
  return await withParts(async ({ workflows }) => {
    const { id, version, isActive, warnings } = await workflows.drafts
      .publish(toPlace(named), asked, null)
      .catch(sayForDraft);
    return { id, version, isActive, warnings };
  });
}

export async function compare(words: string[]) {
  const { from = "published", to = "draft", ...named } = readOptions(words, comparison);
  return await withParts(({ workflows }) => workflows.versions.compare(toPlace(named), from, to));
}

export async function versions(words: string[]) {
  const place = toPlace(readOptions(words, oneWorkflow));
  return await withParts(async ({ workflows }) => {
    const found: VersionEntry[] = [];
    for (;;) {
      const { data, total } = await workflows.versions.page(place, { offset: found.length, limit: pageSize });
      found.push(...data);
      if (data.length === 0 || found.length >= total) return found;
    }
  });
}

/** Publishes an old version again, as a new one. */
export async function rollback(words: string[]) {
  const { version: old, note: why, ...named } = readOptions(words, oldVersion);
  return await withParts(async ({ workflows }) => {
    const asked = { version: old, note: why };
    const { id, version, warnings } = await workflows.versions.restore(toPlace(named), asked, null).catch(sayForDraft);
    return { id, version, warnings };
  });
}

const toPlace = ({ organization, id }: z.output<typeof oneWorkflow>) => ({
  organizationId: organization,
  workflowId: id,
});

/** The faults are on the canvas, not in options of the command. */
function sayForDraft(error: unknown): never {
  if (!(error instanceof Refusal && error.errors)) throw error;
  throw new Error(error.errors.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join("; "));
}
