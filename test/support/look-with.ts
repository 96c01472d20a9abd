import { z } from "zod";
import type { Credential, CredentialCall, CredentialData } from "../../src/contract/credential.ts";
import type { Poll, PollItem, PollPage } from "../../src/contract/poll.ts";
import { defineTool } from "../../src/contract/tool.ts";
import { callTool } from "./call-tool.ts";

type LookOptions = {
  credential: () => CredentialData;
  definition: Credential | null;
  parameters?: Record<string, unknown>;
  now?: Date;
};

/** Looks as the product does: parameters are checked, and what is listed and read goes through JSON. */
export function lookWith(poll: Poll, { credential, definition, parameters = {}, now = new Date() }: LookOptions) {
  const use = async <Result>(work: (call: CredentialCall) => Promise<Result>): Promise<Result> => {
    const run = async (call: CredentialCall) => [{ result: await work(call) }];
    const [answer] = await callTool(standIn(definition, run), { input: {}, credential: credential(), now });
    return answer?.result as Result;
  };
  const wanted = (more: Record<string, unknown>) => poll.parameters.parse({ ...parameters, ...more });
  return {
    list: async (mark: string | null, options: { now?: Date; parameters?: Record<string, unknown> } = {}): Promise<PollPage> =>
      await use(async (call) => await poll.list(call, { parameters: wanted(options.parameters ?? {}), mark, now: options.now ?? now })),
    read: async (item: PollItem): Promise<unknown> => await use(async (call) => await poll.read?.(call, item, wanted({}))),
  };
}

const standIn = (credential: Credential | null, run: (call: CredentialCall) => Promise<Record<string, unknown>[]>) =>
  defineTool({
    id: "look",
    title: "Look",
    description: "",
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    credential,
    input: z.strictObject({}),
    output: z.record(z.string(), z.unknown()) as unknown as z.ZodObject,
    run: async (call) => await run(call as unknown as CredentialCall),
  });
