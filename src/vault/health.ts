import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { runUnderLimit } from "../base/run-under-limit.ts";
import { createScrub } from "../base/scrub.ts";
import type { CredentialCall } from "../contract/credential.ts";
import type { Database } from "../storage/database.ts";
import { needsReconnect, placeOf, toStorableError } from "./contents.ts";
import { explainMissingScope } from "./missing-scope.ts";
import type { CheckedCredential, OpenedCredential } from "./open-credential.ts";
import { refreshEarlyMs } from "./refresh.ts";
import {
  type CredentialRow,
  findCredential,
  noteFailure,
  noteHealth,
  noteSuccess,
  noteUnchecked,
  vaultTables,
} from "./store.ts";
import type { Health, TestResult } from "./wire.ts";

export type StartCall = (
  opened: Pick<OpenedCredential, "definition" | "data" | "refresh">,
  signal: AbortSignal,
) => CredentialCall;

type Options = {
  db: Database;
  clock: Clock;
  log: Log;
  open: (checked: CheckedCredential) => Promise<OpenedCredential>;
  startCall: StartCall;
  platformBaseUrl: string;
};

/** What an account was refused in: a tool of its own service, one that takes accounts of all, or the check of the account. */
type Source = "own tool" | "other tool" | "check";

const testLimitMs = 15_000;
const expiringMs = 24 * 3_600_000;
const noteEveryMs = 60_000;

export function createHealth(options: Options) {
  const { db, clock, open } = options;
  const tables = vaultTables(db);
  const { check, explain, remember } = createExplain(options);

  /** Undefined when it works, else what went wrong, in words that hold no secret. */
  async function tryCheck(checked: CheckedCredential): Promise<FailedCheck | undefined> {
    let opened: OpenedCredential | undefined;
    try {
      opened = await open(checked);
      await check(opened);
      return undefined;
    } catch (error) {
      const scrub = createScrub(opened?.secrets() ?? []);
      const failure =
        opened && error instanceof Refusal ? await explain(opened, error.reworded(scrub.text), "check") : error;
      return describeFailure(failure, scrub.text(wordsOf(failure)));
    }
  }

  return {
    /** Runs the provider's cheap call and remembers how it went. */
    async test(checked: CheckedCredential): Promise<TestResult> {
      const place = placeOf(checked.row);
      const failure = await tryCheck(checked);
      const now = clock.now();
      if (failure === undefined) {
        if (checked.definition.check === null)
          return {
            ok: true,
            isChecked: false,
            message: "The stored data can be read; this type has nothing more to test.",
            health: healthOf(checked.row, now),
          };
        const row = await noteSuccess(tables, place, now);
        return {
          ok: true,
          isChecked: true,
          message: "The connection works.",
          health: healthOf(row ?? checked.row, now),
        };
      }
      const { message, verdict } = failure;
      const row = await noteVerdict[verdict](tables, place, { last_error: message, last_error_at: now });
      return { ok: false, isChecked: verdict === "failing", message, health: healthOf(row ?? checked.row, now) };
    },

    /** A real call worked. Remembered at most once a minute, and nobody waits for it. */
    noteSuccess({ row }: CheckedCredential): void {
      const now = clock.now();
      const isKnown =
        row.health === "ok" && row.last_ok_at !== null && now.getTime() - row.last_ok_at.getTime() < noteEveryMs;
      if (!isKnown) void remember(noteSuccess(tables, placeOf(row), now));
    },

    explain,
  };
}

/** Finds out what a refusal means for the account, and remembers it where it is about the credential itself. */
function createExplain({ db, clock, log, startCall, platformBaseUrl }: Options) {
  const tables = vaultTables(db);

  /** The provider did not accept the credential. A connection that gets no better token must be made again, and what this gives says so. */
  async function noteRefusal(opened: OpenedCredential, failure: Refusal, from: Source): Promise<Refusal> {
    // What a caller wrote into the call may be what was refused.
    if (from === "other tool" && !(await check(opened).then(() => false, isUnauthorized))) return failure;
    const isOver = opened.isConnected && (await isRefusedForGood(opened, failure, from));
    const row = opened.row();
    const note = { last_error: toStorableError(failure.message), last_error_at: clock.now() };
    if (!isOver) {
      await remember(noteFailure(tables, placeOf(row), note));
      return failure;
    }
    await remember(noteHealth(tables, placeOf(row), { ...note, health: "needs_reconnect" }, row.version));
    const { code, message } = needsReconnect(row, platformBaseUrl);
    return new Refusal(code, `${failure.message} ${message}`, { effect: failure.effect });
  }

  /** The status alone may be about one call only, such as a scope that is missing: then the type's own check decides. */
  async function isRefusedForGood(opened: OpenedCredential, { provider }: Refusal, from: Source): Promise<boolean> {
    if (provider?.refusesCredential === true) return true;
    if (typeof opened.data().refreshToken === "string") return false;
    return from !== "own tool" || (await check(opened).then(() => false, isUnauthorized));
  }

  const check = async (opened: OpenedCredential): Promise<void> =>
    await runUnderLimit(
      answerWithin(testLimitMs),
      async (signal) => await opened.definition.check?.(startCall(opened, signal)),
    );

  /** What a refusal means for the account, and what to do about it. One of the credential itself is remembered. */
  const explain = async (opened: OpenedCredential, failure: Refusal, from: Source): Promise<Refusal> =>
    failure.isUnauthorized
      ? await noteRefusal(opened, failure, from)
      : explainMissingScope(opened, failure, platformBaseUrl);

  async function remember(writing: Promise<unknown>): Promise<void> {
    await writing.catch((error: Error) =>
      log.warn({ error: error.message }, "the health of a credential was not recorded"),
    );
  }

  return { check, explain, remember };
}

/** During a pause nothing was tried; a test that may not be made says nothing of the tools. */
type FailedCheck = { message: string; verdict: "failing" | "unchecked" | "paused" };

function describeFailure(failure: unknown, words: string): FailedCheck {
  const refusal = failure instanceof Refusal ? failure : undefined;
  if (refusal?.provider?.lacksPermission !== true)
    return {
      message: toStorableError(words),
      verdict: refusal?.code === "credential_refresh_paused" ? "paused" : "failing",
    };
  const message = `This could not be checked: ${words} Tools that need other permissions may work.`;
  return { message: toStorableError(message), verdict: "unchecked" };
}

const noteVerdict = { failing: noteFailure, unchecked: noteUnchecked, paused: findCredential };

const isUnauthorized = (error: unknown): error is Refusal => error instanceof Refusal && error.isUnauthorized;

const wordsOf = (failure: unknown): string =>
  failure instanceof Error && failure.message !== "" ? failure.message : "The test failed.";

type HealthFacts = Pick<CredentialRow, "health" | "token_expires_at" | "can_refresh" | "refresh_failing_since">;

/** A token that cannot be refreshed, or not at present, shows its end in advance. */
export function healthOf(row: HealthFacts, now: Date): Health {
  if (row.health === "needs_reconnect" || row.token_expires_at === null) return row.health;
  const leftMs = row.token_expires_at.getTime() - now.getTime();
  if (row.can_refresh)
    return row.refresh_failing_since === null ? row.health : healthWithoutRefresh(row.health, leftMs);
  return leftMs <= 0 ? "needs_reconnect" : leftMs <= expiringMs ? "expiring" : row.health;
}

function healthWithoutRefresh(health: Health, leftMs: number): Health {
  if (leftMs <= 0) return "failing";
  return leftMs <= refreshEarlyMs && health !== "failing" ? "expiring" : health;
}

export const answerWithin = (limitMs: number) => ({
  limitMs,
  tooLate: () => new Refusal("outbound_timeout", `There was no answer within ${limitMs / 1000} s.`),
});
