import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { findFiles } from "./file-store.ts";
import type { RunFile } from "./start-run.ts";

export type RunFiles = ReturnType<typeof createRunFiles>;

type Place = { organizationId: string; runId: string; number: number };

/** What stands for a file in the data of a run: whoever has it and belongs to the organization gets the bytes. */
export const toHandle = (runId: string, number: number): string => `file:${runId}/${number}`;

/** Of their bytes as text: as much as any service takes, and little enough for the memory of a process. */
const mostTogether = 25_000_000;

const handleForm = /^file:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([1-9]\d{0,3})$/;

export function createRunFiles({ db }: { db: Database }) {
  async function find({ organizationId, runId, number }: Place): Promise<RunFile | undefined> {
    const files = await findFiles(db, { organizationId, id: runId });
    return files === null ? undefined : (JSON.parse(files) as RunFile[])[number - 1];
  }

  /** For the parameters of one call, each file read once. */
  function createBytesOf(organizationId: string, signal: AbortSignal) {
    const known = new Map<string, Promise<RunFile | undefined>>();
    let room = mostTogether;

    async function bytesOf(text: string, pointer: string): Promise<string> {
      const [, runId, number] = handleForm.exec(text) ?? [];
      if (runId === undefined) return text;
      signal.throwIfAborted();
      const reading = known.get(text) ?? find({ organizationId, runId, number: Number(number) });
      known.set(text, reading);
      const file = await reading;
      if (!file) throw refuseAt(pointer, "names a file that is not there, or no longer");
      room -= file.contentBase64.length;
      if (room < 0) throw refuseAt(pointer, "is one too many: a node takes files of 25 MB at most");
      return file.contentBase64;
    }

    return bytesOf;
  }

  return {
    async read(place: Place): Promise<RunFile> {
      const file = await find(place);
      if (!file) throw new Refusal("not_found", "There is no such file.");
      return file;
    },

    /** The parameters of a tool with the bytes in the places of handles, in the fields that take bytes: all of them are named …Base64. */
    insertInto: async (organizationId: string, parameters: Record<string, unknown>, signal: AbortSignal) =>
      (await replaceTexts(parameters, "", createBytesOf(organizationId, signal))) as Record<string, unknown>,
  };
}

type Replace = (text: string, pointer: string) => Promise<string>;

/** Those in fields that take bytes. */
async function replaceTexts(value: unknown, pointer: string, replace: Replace): Promise<unknown> {
  if (typeof value === "string") return /Base64$/.test(pointer) ? await replace(value, pointer) : value;
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, unknown][] = [];
  for (const [key, entry] of Object.entries(value)) entries.push([key, await replaceTexts(entry, `${pointer}/${key}`, replace)]);
  return Array.isArray(value) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
}

const refuseAt = (pointer: string, detail: string): Refusal =>
  new Refusal("validation_failed", `${pointer.slice(1).replaceAll("/", ".")} ${detail}.`, { errors: [{ pointer, detail }] });
