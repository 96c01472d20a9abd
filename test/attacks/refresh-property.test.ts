import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createAddressRules } from "../../src/base/address-rules.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createSafeFetch } from "../../src/base/safe-fetch.ts";
import { createActionCall } from "../../src/calls/action-call.ts";
import type { OpenedCredential } from "../../src/vault/open-credential.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import { signUpOwner } from "../support/people.ts";
import { roundsLimitMs, roundsOf, seed } from "../support/rounds.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { fakeCredentialTypes } from "../support/vault/fake-credentials.ts";

let apps: TestApp[] = [];
let provider: FakeOAuth;
let organizationId: string;

beforeAll(async () => {
  provider = await startFakeOAuth();
  const options = { credentialTypes: fakeCredentialTypes, environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } };
  const first = await startTestApp(options);
  apps = [first, await startTestApp({ ...options, database: first.database })];
  ({ organizationId } = await signUpOwner(first, "Ann"));
});
afterAll(async () => {
  for (const app of apps.toReversed()) await app.stop();
  await provider?.stop();
});

const safeFetch = createSafeFetch({ addressRules: createAddressRules({ allowedCidrs: ["127.0.0.0/8"] }) });
const use = (credential: OpenedCredential) =>
  createActionCall(
    { fetch: safeFetch, resolveHost: async (host) => host, clock: systemClock },
    {
      organizationId: null,
      provider: "Fake",
      input: {},
      credential,
      isResendable: false,
      signal: AbortSignal.timeout(60_000),
      idempotencyKey: "x",
    },
  ).http.json({ path: "/me" });

/** What the token endpoint does with a request: after a while it fails, or gives a token that is soon over or lasts. */
type Mood = { delayMs: number; fails: boolean; rotates: boolean; lasts: boolean };
type Step = { kind: "call"; process: number } | { kind: "revoke" } | { kind: "pause"; ms: number } | { kind: "settle" };

const mood: fc.Arbitrary<Mood> = fc.record({
  delayMs: fc.nat({ max: 15 }),
  fails: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
  rotates: fc.integer({ min: 0, max: 3 }).map((one) => one > 0),
  lasts: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("call" as const), process: fc.nat({ max: 1 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "revoke" as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pause" as const), ms: fc.nat({ max: 10 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "settle" as const }) },
);

/** Plays calls of two processes with one credential, and notes what no order of events excuses. */
async function createPlay(moods: Mood[]) {
  provider.reset();
  const made = await apps[0]?.parts.vault.credentials.create(organizationId, {
    type: "fake_json",
    name: "One for all",
    data: provider.connection(),
    createdBy: null,
  });
  if (!made) throw new Error("no credential was made");
  const faults: string[] = [];
  const calls: Promise<void>[] = [];
  let underWay = 0;
  /** Whether the provider made trouble since nobody was calling: only then may a call fail. */
  let isTroubled = false;
  /** The newest token that a finished call used. */
  let newestUsed = 0;
  let next = 0;
  provider.answerToken = async () => {
    const { delayMs, fails, rotates, lasts } = moods[next++ % moods.length] as Mood;
    await delay(delayMs);
    Object.assign(provider, { rotates, expiresInSeconds: lasts ? 3600 : 1 });
    if (fails) isTroubled = true;
    return fails ? { status: 503, body: "down" } : undefined;
  };

  async function call(process: number): Promise<void> {
    const newestBefore = newestUsed;
    if (underWay === 0) isTroubled = false;
    underWay += 1;
    try {
      const vault = (apps[process] as TestApp).parts.vault;
      const [checked] = await vault.check(organizationId, { fake_json: made?.reference }, ["fake_json"]);
      const opened = await vault.open(checked as NonNullable<typeof checked>);
      const place = () => provider.issued.indexOf(String(opened.data().accessToken));
      if (place() < newestBefore)
        faults.push(`token ${place()} was used after a call had ended with token ${newestBefore}`);
      await use(opened);
      newestUsed = Math.max(newestUsed, place());
    } catch (error) {
      if (!isTroubled) faults.push(`failed without a reason: ${String(error)}`);
    } finally {
      underWay -= 1;
    }
  }

  const settle = () => Promise.all(calls.splice(0));

  return {
    async run(one: Step): Promise<void> {
      if (one.kind === "call") calls.push(call(one.process));
      else if (one.kind === "pause") await delay(one.ms);
      else if (one.kind === "settle") await settle();
      else {
        isTroubled = true;
        provider.accessTokens.clear();
      }
    },

    async finish(): Promise<void> {
      await settle();
      provider.answerToken = undefined;
      provider.expiresInSeconds = 3600;
      const asked = provider.tokenRequests.length;
      // With a provider that works, everybody works at once, and with one and the same token.
      await Promise.all([call(0), call(1), call(0), call(1)]);
      await Promise.all([call(0), call(1)]);
      expect({ faults, deadGrants: provider.deadGrants }).toEqual({ faults: [], deadGrants: [] });
      expect(newestUsed).toBe(provider.issued.length - 1);
      expect(provider.tokenRequests.length - asked).toBeLessThanOrEqual(1);
      expect(provider.mostAtOnce).toBeLessThanOrEqual(1);
    },
  };
}

it(
  "one refresh at a time, no rotated token lost and no old one used, whatever the provider does and whoever calls when",
  async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 25 });
    const property = fc.asyncProperty(fc.array(mood, { minLength: 1, maxLength: 6 }), steps, async (moods, given) => {
      const play = await createPlay(moods);
      for (const one of given) await play.run(one);
      await play.finish();
    });
    await fc.assert(property, { numRuns: roundsOf(8, 200), seed });
  },
  roundsLimitMs,
);
