import { randomUUID } from "node:crypto";
import { createAddressRules } from "../../../src/base/address-rules.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { createSafeFetch } from "../../../src/base/safe-fetch.ts";
import { createActionCall, variantOf } from "../../../src/calls/action-call.ts";
import { readInput } from "../../../src/catalog/catalog.ts";
import type { Action } from "../../../src/contract/action.ts";
import type { Credential, CredentialData } from "../../../src/contract/credential.ts";
import { secretValuesOf } from "../../../src/vault/credential-data.ts";

type CallOptions = {
  input: Record<string, unknown>;
  credential?: CredentialData;
  /** What the credential is after a refresh; without it there is none to get. */
  renewed?: CredentialData;
  /** Of the account, where it is not the tool's own. */
  definition?: Credential;
  signal?: AbortSignal;
  idempotencyKey?: string;
  organizationId?: string;
  now?: Date;
  /** Collects the waits instead of waiting. */
  waits?: number[];
};

const loopback = createAddressRules({ allowedCidrs: ["127.0.0.0/8", "::1/128"] });
const fetch = createSafeFetch({ addressRules: loopback });

/** Runs a tool as the product does, with loopback allowed and waits not waited for. */
export async function callTool(tool: Action, { input, credential = {}, renewed, waits = [], ...options }: CallOptions) {
  const { now, definition = tool.credential } = options;
  const outside = {
    fetch,
    resolveHost: async (host: string) => (host === "localhost" ? "127.0.0.1" : host),
    clock: now ? { now: () => now } : systemClock,
    sleep: async (milliseconds: number) => void waits.push(milliseconds),
  };
  const call = createActionCall(outside, {
    organizationId: options.organizationId ?? randomUUID(),
    provider: definition?.title ?? "System",
    input: readInput(tool, input),
    credential: definition ? { definition, ...renewable(definition, credential, renewed) } : null,
    isResendable: tool.isResendable(tool.input.parse(input)),
    signal: options.signal ?? AbortSignal.timeout(15_000),
    idempotencyKey: options.idempotencyKey ?? randomUUID(),
  });
  return JSON.parse(JSON.stringify(await tool.run(call))) as Record<string, unknown>[];
}

function renewable(definition: Credential, credential: CredentialData, renewed: CredentialData | undefined) {
  let data = credential;
  const refresh = async () => {
    data = renewed ?? data;
    return renewed !== undefined;
  };
  return { data: () => data, secrets: () => secretsIn(definition, data), refresh };
}

function secretsIn(definition: Credential, data: CredentialData): string[] {
  const variant = definition.variants.length === 1 || data.kind !== undefined ? variantOf(definition, data) : undefined;
  return variant ? secretValuesOf(variant, data) : [];
}
