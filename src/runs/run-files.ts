import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { findFiles } from "./file-store.ts";
import type { RunFile } from "./start-run.ts";

export type RunFiles = ReturnType<typeof createRunFiles>;

type Place = { organizationId: string; runId: string; number: number };

/** What stands for a file in the data of a run: whoever has it and belongs to the organization gets the bytes. */
export const toHandle = (runId: string, number: number): string => `file:${runId}/${number}`;

const handleForm = /^file:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([1-9]\d{0,3})$/;

export function createRunFiles({ db }: { db: Database }) {
  async function find({ organizationId, runId, number }: Place): Promise<RunFile | undefined> {
    const files = await findFiles(db, { organizationId, id: runId });
    return files === null ? undefined : (JSON.parse(files) as RunFile[])[number - 1];
  }

  async function replace(organizationId: string, value: unknown, pointer: string): Promise<unknown> {
    const name = pointer.slice(pointer.lastIndexOf("/") + 1);
    if (typeof value === "string") return name.endsWith("Base64") ? await bytesOf(organizationId, value, pointer) : value;
    if (typeof value !== "object" || value === null) return value;
    const entries: [string, unknown][] = [];
    for (const [key, entry] of Object.entries(value)) entries.push([key, await replace(organizationId, entry, `${pointer}/${key}`)]);
    return Array.isArray(value) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
  }

  async function bytesOf(organizationId: string, text: string, pointer: string): Promise<string> {
    const [, runId, number] = handleForm.exec(text) ?? [];
    if (runId === undefined) return text;
    const file = await find({ organizationId, runId, number: Number(number) });
    if (file) return file.contentBase64;
    const detail = "names a file that is not there, or no longer";
    throw new Refusal("validation_failed", `${pointer.slice(1).replaceAll("/", ".")} ${detail}.`, { errors: [{ pointer, detail }] });
  }

  return {
    async read(place: Place): Promise<RunFile> {
      const file = await find(place);
      if (!file) throw new Refusal("not_found", "There is no such file.");
      return file;
    },

    /** The parameters of a tool with the bytes in the places of handles, in the fields that take bytes: all of them are named …Base64. */
    insertInto: async (organizationId: string, parameters: Record<string, unknown>) =>
      (await replace(organizationId, parameters, "")) as Record<string, unknown>,
  };
}
