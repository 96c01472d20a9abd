import { toStorableText } from "../../base/json.ts";
import { Refusal } from "../../base/refusal.ts";
import { replaceAt } from "../../base/replace-at.ts";
import type { Action } from "../../contract/action.ts";
import { takesFile } from "../../contract/file-input.ts";
import { at } from "../../contract/read.ts";
import type { Database } from "../../storage/database.ts";
import type { RunFile } from "../accept/run-request.ts";
import { appendFiles, areKin, findFile } from "./file-store.ts";

export type RunFiles = ReturnType<typeof createRunFiles>;

type OwnRun = { organizationId: string; runId: string };
type Place = OwnRun & { number: number };

type Item = Record<string, unknown>;
/** What an action is given, and the JSON Schema of what it takes. */
type Given = { parameters: Item; schema: unknown };
type FindBytes = NonNullable<Action["findBytes"]>;

/** What stands for a file in the data of a run, for its nodes and for those of runs that have to do with it. */
export const toHandle = (runId: string, number: number): string => `file:${runId}/${number}`;

/** Of their bytes as text, for one node and for what one run keeps: as much as any service takes, and little enough for the memory of a process. */
const mostTogether = 25_000_000;

const handleForm = /^file:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([1-9]\d{0,5})$/;

export function createRunFiles({ db }: { db: Database }) {
  async function find({ organizationId, runId, number }: Place): Promise<RunFile | undefined> {
    // Not as quick statements, here and below: these may be many bytes.
    const file = await db.transaction((sql) => findFile(sql, { organizationId, id: runId }, number));
    return file === null ? undefined : (JSON.parse(file) as RunFile);
  }

  /** For a node of a run, or in words why not: whoever can write into the data of a run could otherwise name the files of every other one. */
  async function findFor({ organizationId, runId: id }: OwnRun, place: Place): Promise<RunFile | string> {
    const file = await find(place);
    if (!file) return "names a file that is not there, or no longer";
    const isTheirs =
      place.runId === id || (await db.transaction((sql) => areKin(sql, { organizationId, id }, place.runId)));
    return isTheirs ? file : "names a file of another run, which only its reruns and the workflows it calls may use";
  }

  /** For the parameters of one call, each file read once. */
  function createBytesOf(own: OwnRun, signal: AbortSignal) {
    const known = new Map<string, Promise<RunFile | string>>();
    let room = mostTogether;

    async function bytesOf(text: string, pointer: string): Promise<string> {
      const [, runId, number] = handleForm.exec(text) ?? [];
      if (runId === undefined) return text;
      signal.throwIfAborted();
      const reading =
        known.get(text) ?? findFor(own, { organizationId: own.organizationId, runId, number: Number(number) });
      known.set(text, reading);
      const file = await reading;
      if (typeof file === "string") throw refuseAt(pointer, file);
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

    /** The parameters of an action with the bytes in the places of handles, in the inputs whose schema says that they take a file. */
    insertInto: async (place: OwnRun, { parameters, schema }: Given, signal: AbortSignal) =>
      (await replaceFiles(parameters, { schema, pointer: "" }, createBytesOf(place, signal))) as Item,

    /** What a node gives, with handles in the places of its files, which are stored with the run. */
    async takeOut({ organizationId, runId }: OwnRun, items: Item[], findBytes: FindBytes): Promise<Item[]> {
      const found = items.flatMap((item, index) => findIn(item, findBytes).map((one) => ({ ...one, index })));
      if (found.length === 0) return items;
      const files = toStorableText(found.map(({ file }) => file)).text;
      const count = await db.transaction((sql) =>
        appendFiles(sql, { organizationId, id: runId }, { files, mostBytes: mostTogether }),
      );
      if (count === undefined) throw new Refusal("outputs_too_large", "A run keeps files of 25 MB at most, as base64.");
      const first = count - found.length + 1;
      const lighter = [...items];
      for (const [position, { index, way }] of found.entries())
        lighter[index] = replaceAt(lighter[index], way, toHandle(runId, first + position)) as Item;
      return lighter;
    },
  };
}

/** The files in an item and the way to the bytes of each. */
function findIn(item: Item, findBytes: FindBytes): { way: string[]; file: RunFile }[] {
  return findBytes(item).flatMap(({ field, mimeType = "application/octet-stream", name = null }) => {
    const way = field.split("/");
    const contentBase64 = at(item, ...way);
    return typeof contentBase64 === "string" ? [{ way, file: { name, type: mimeType, contentBase64 } }] : [];
  });
}

type Replace = (text: string, pointer: string) => Promise<string>;
type Field = { schema: unknown; pointer: string };

async function replaceFiles(value: unknown, { schema, pointer }: Field, replace: Replace): Promise<unknown> {
  if (typeof value === "string") return takesFile(schema) ? await replace(value, pointer) : value;
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, unknown][] = [];
  for (const [key, entry] of Object.entries(value)) {
    const below = Array.isArray(value) ? at(schema, "items") : at(schema, "properties", key);
    entries.push([key, await replaceFiles(entry, { schema: below, pointer: `${pointer}/${key}` }, replace)]);
  }
  return Array.isArray(value) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
}

const refuseAt = (pointer: string, detail: string): Refusal =>
  new Refusal("validation_failed", `${pointer.slice(1).replaceAll("/", ".")} ${detail}.`, {
    errors: [{ pointer, detail }],
  });
