import type { z } from "zod";
import type { ActionCall } from "./call.ts";
import type { CredentialCall } from "./credential.ts";

/** `secrets` are those of the account: no address that an answer leads to may hold one of them. */
export type PollCall = CredentialCall & Partial<Pick<ActionCall<never, never>, "secrets">>;

/** Something new that a service tells nobody of, so that a trigger has to look for it again and again. */
export type Poll = {
  /** The event's name in `$trigger.event`, such as new_email. */
  id: string;
  title: string;
  description: string;
  /** Where to look, and for what: the form of the trigger. Must be a strict object. */
  parameters: z.ZodObject;
  /** `least` is what the vendor's limits allow, `usual` how long it takes at most while nothing new comes. */
  everySeconds: { least: number; usual: number };
  worksWithoutAccount: boolean;
  list: (call: PollCall, look: Look) => Promise<PollPage>;
  /**
   * What the run gets, where the list does not tell all of it; undefined where the item is gone by now, which starts nothing. Asked only for
   * items that start a run.
   */
  read: ((call: PollCall, item: PollItem, parameters: Record<string, unknown>) => Promise<unknown>) | null;
  /** What somebody wrote, or a short title: `$trigger.prompt` where the trigger has no text of its own. */
  promptOf: (payload: unknown) => string | undefined;
  senderOf: ((payload: unknown) => { id: string | undefined; name: string | undefined }) | null;
  /**
   * Whether a value in what a tool of the provider gave out names this item: then the tool made it, and a workflow that it starts again and again is
   * turned off. Its id unless given.
   */
  isNamed: (name: string, item: PollItem) => boolean;
  /** What has to stand in the tool's input as well, where ids are not unique: the table. */
  madeIn: ((parameters: Record<string, unknown>) => string) | null;
  /** Which sender the account itself is, where senders are told: what it sends is the effect of whoever acts with it. */
  findOwnSender: ((call: PollCall) => Promise<string | undefined>) | null;
};

export type Look<Parameters = Record<string, unknown>> = {
  parameters: Parameters;
  /** What the last page said to go on from; null at the first look, which is for the newest items only, and says where the next begins. */
  mark: string | null;
  now: Date;
};

/**
 * Oldest first. A page may repeat items of pages before, and should where the service may show one late: only an id that the trigger has never
 * seen starts a run.
 */
export type PollPage = {
  items: PollItem[];
  /** Stored once all items of the page have their runs. */
  mark: string;
  /** Whether another page follows at once. */
  hasMore: boolean;
};

export type PollItem = {
  /** The same for the whole life of the item, whatever is changed about it. */
  id: string;
  payload: unknown;
};

type PollDescriptor<Parameters extends z.ZodObject> = Pick<Poll, "id" | "title" | "description" | "everySeconds"> & {
  parameters: Parameters;
  worksWithoutAccount?: boolean;
  list: (call: PollCall, look: Look<z.output<Parameters>>) => Promise<PollPage>;
  read?: (call: PollCall, item: PollItem, parameters: z.output<Parameters>) => Promise<unknown>;
  promptOf?: Poll["promptOf"];
  senderOf?: NonNullable<Poll["senderOf"]>;
  isNamed?: Poll["isNamed"];
  madeIn?: (parameters: z.output<Parameters>) => string;
  findOwnSender?: NonNullable<Poll["findOwnSender"]>;
};

export function definePoll<Parameters extends z.ZodObject>(descriptor: PollDescriptor<Parameters>): Poll {
  const isNamed: Poll["isNamed"] = (name, { id }) => name === id;
  const usual = {
    worksWithoutAccount: false,
    read: null,
    promptOf: () => undefined,
    senderOf: null,
    isNamed,
    madeIn: null,
    findOwnSender: null,
  };
  return { ...usual, ...descriptor } as unknown as Poll;
}
