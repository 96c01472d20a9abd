import { z } from "zod";
import { mostCounted } from "../../base/most-counted.ts";
import type { Hints } from "../../contract/action.ts";

export type PlatformScope = "platform:read" | "platform:write";

type Call<Input> = {
  input: Input;
  /** The organization the connection was approved for, whatever else the user belongs to. */
  organizationId: string;
  userId: string;
};

type Descriptor<Input extends z.ZodObject, Output extends z.ZodObject> = {
  id: string;
  title: string;
  description: string;
  scope: PlatformScope;
  hints: Hints;
  /** Must be a strict object: unknown parameters are refused. */
  input: Input;
  /** The whole answer. */
  output: Output;
  run: (call: Call<z.output<Input>>) => Promise<z.output<Output>>;
};

/** A tool about the caller's own account. Never returns a secret and acts on one organization only. */
export type PlatformTool = Descriptor<z.ZodObject, z.ZodObject>;

export const definePlatformTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  descriptor: Descriptor<Input, Output>,
): PlatformTool => descriptor as unknown as PlatformTool;

export const reads: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

const pageInput = z.strictObject({
  search: z.string().max(200).optional().describe("Only entries that contain this text."),
  offset: z.int().min(0).default(0).describe("How many entries to skip."),
  limit: z.int().min(1).max(100).default(20).describe("How many entries to return (1-100)."),
});

const cursor = "`nextCursor` of the page before, which stays where it is while entries are added.";
/** For lists in the order of their ids, newest first: what is added meanwhile moves nothing to the next page. */
export const cursorInput = pageInput.extend({ cursor: z.uuid().optional().describe(cursor) });
/** The same for lists in another order. */
export const placeInput = pageInput.extend({ cursor: z.string().max(100).optional().describe(cursor) });
export const nextCursor = z.string().nullable().describe("For the next page; null when there is none.");

export const total = z.int().min(0).describe("How many entries there are with this search.");
/** Of what there can be any number of. */
export const totalSoFar = z
  .int()
  .min(0)
  .describe(`How many entries there are with this search. ${mostCounted} stands for as many or more.`);
export const id = z.uuid();
export const instant = z.iso.datetime();
export const failure = z.object({ code: z.string(), message: z.string() });
