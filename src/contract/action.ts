import type { z } from "zod";
import type { DefaultModels } from "../base/default-models.ts";
import type { ActionCall } from "./call.ts";
import type { Credential, CredentialData } from "./credential.ts";

/** What a caller may expect of a tool; the same four words on the node, in the catalogue and in MCP. */
export type Hints = { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean };

export type Action = {
  id: string;
  title: string;
  description: string;
  /** Other words that people look for it with, besides those of its provider. */
  synonyms: readonly string[];
  /** Names of inputs that tell in a line what a node does ("GET /orders"), where they are not the first that are required. */
  summary?: readonly string[];
  /** What an agent should know before its first call, beyond the description: what to look at first, what it is not for. */
  guide?: string;
  /** Raised when the meaning changes; an id never changes its meaning silently. */
  version: number;
  hints: Hints;
  credential: Credential | null;
  /** Whether it also works without an account: a call that names none, where there is no default, is made without. */
  worksWithoutAccount: boolean;
  /** Whether it takes, in place of its own, one account of any provider that is reached over HTTP. */
  takesOtherAccounts: boolean;
  /** Whether an account that nobody named, but that is the default, is meant for a call; given the origins its secret may be sent to. */
  isForDefault: (input: Record<string, unknown>, origins: readonly string[]) => boolean;
  /** Names of inputs that the tool evaluates: a model writes them only where the author of a node allows it. */
  evaluatedInputs: readonly string[];
  /** What a node of a workflow has where its author and the model leave something out. */
  nodeDefaults: Record<string, unknown>;
  input: z.ZodObject;
  output: z.ZodObject;
  /** The field that names a model, and which default of the installation it has. */
  defaultModel?: DefaultModelField;
  /** The fields of an item that hold bytes as base64, and what they are when that is known. */
  findBytes?: (item: Record<string, unknown>) => BytesField[];
  /** Whether a call with this input, made twice by its caller, does no more than once. */
  isRepeatable: (input: Record<string, unknown>) => boolean;
  /** Whether one call may be sent twice, which does no more than once where it carries the key of the call. */
  isResendable: (input: Record<string, unknown>) => boolean;
  run: (call: ActionCall<Record<string, unknown>, CredentialData>) => Promise<Record<string, unknown>[]>;
};

type DefaultModelField = { field: string; of: keyof DefaultModels };

/** A field within lists is named with its way there: `attachments/0/contentBase64`. `name` is that of the file, where it has one. */
type BytesField = { field: string; mimeType?: string | undefined; name?: string | undefined };

type ActionDescriptor<Input extends z.ZodObject, Output extends z.ZodObject, Definition extends Credential | null> = {
  id: string;
  title: string;
  description: string;
  synonyms?: readonly string[];
  summary?: readonly Extract<keyof z.input<Input>, string>[];
  guide?: string;
  version?: number;
  hints: Hints;
  credential: Definition;
  worksWithoutAccount?: boolean;
  takesOtherAccounts?: boolean;
  isForDefault?: (input: z.output<Input>, origins: readonly string[]) => boolean;
  evaluatedInputs?: readonly Extract<keyof z.input<Input>, string>[];
  /** Where a node of a workflow wants something else than who calls a tool and reads what it answers. */
  nodeDefaults?: Partial<z.input<Input>>;
  /** Must be a strict object: unknown parameters are refused. Only what JSON Schema can say. */
  input: Input;
  /** One item of the answer. */
  output: Output;
  /** Where the default of a field is a model, which the installation may set. */
  defaultModel?: DefaultModelField;
  /** Where an item has bytes as base64: a run keeps them as files and has handles in their places, MCP clients get pictures and sound as such. */
  findBytes?: (item: z.output<Output>) => BytesField[];
  /** Where the hints do not say it: they are the same for every input, and know nothing of idempotency keys that a caller gives. */
  isRepeatable?: (input: z.output<Input>) => boolean;
  /** Where it differs from `isRepeatable`, because `idempotencyKey` of the call is sent: the caller's next call has another one. */
  isResendable?: (input: z.output<Input>) => boolean;
  run: (call: ActionCall<z.output<Input>, DataOf<Definition>>) => Promise<z.output<Output>[]>;
};

type DataOf<Definition> = Definition extends Credential<infer Data> ? Data : Record<string, never>;

/** One descriptor makes the node's form, the validation everywhere and the MCP tool. */
export function defineAction<
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Definition extends Credential | null,
>(descriptor: ActionDescriptor<Input, Output, Definition>): Action {
  const { readOnly, idempotent } = descriptor.hints;
  const { isRepeatable = () => readOnly || idempotent } = descriptor;
  const usual = {
    version: 1,
    synonyms: [],
    worksWithoutAccount: false,
    takesOtherAccounts: false,
    isForDefault: () => true,
    evaluatedInputs: [],
    nodeDefaults: {},
    isRepeatable,
    isResendable: isRepeatable,
  };
  return { ...usual, ...descriptor } as unknown as Action;
}
