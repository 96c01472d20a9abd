import type { ProviderArguments } from "./argument-set.ts";
import { googleArguments } from "./google-arguments.ts";
import { messagingArguments } from "./messaging-arguments.ts";
import { modelArguments } from "./model-arguments.ts";
import { recordArguments } from "./record-arguments.ts";
import { workArguments } from "./work-arguments.ts";

/** By the provider's id: with what its tools are called. */
export const argumentSets: Record<string, ProviderArguments> = {
  ...googleArguments,
  ...messagingArguments,
  ...modelArguments,
  ...recordArguments,
  ...workArguments,
};
