import type { Clock } from "../base/clock.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { Http } from "./http.ts";

/** Everything a tool may use. It has no other way to the outside. */
export type ActionCall<Input, Data> = {
  input: Input;
  /** The opened credential. Its values are scrubbed from everything the tool returns or throws. */
  credential: Data;
  /** Of what type the credential is, for tools that take several; null without one. */
  credentialType: string | null;
  /** The secret values of the credential, for what must not be passed on anywhere else. */
  secrets: () => readonly string[];
  /** HTTP with the credential's base URL and authentication. */
  http: Http;
  /** For protocols without HTTP, after the present token was refused: the credential with another one, or null when there is none to get. */
  reauthorize: () => Promise<Data | null>;
  /** HTTP without a credential, for addresses that are part of the input. */
  fetch: SafeFetch;
  /** Resolves a host name for clients that speak other protocols; refuses addresses that must not be reached. */
  resolveHost: (host: string) => Promise<string>;
  /** Aborted when the caller leaves or the time is up: pass it to everything that waits. */
  signal: AbortSignal;
  clock: Clock;
  /** The value of a JSONata expression applied to data, evaluated where only expressions of the caller's organization are. */
  evaluateExpression: (expression: string, input: unknown) => Promise<unknown>;
  /** The same for every attempt at this one call, so that a provider can tell a repetition from a second one. */
  idempotencyKey: string;
};
