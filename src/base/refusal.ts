/** Every expected "no" of the product and the HTTP status it is answered with. Described for callers in docs/errors.md. */
export const refusalStatus = {
  malformed_json: 400,
  malformed_request: 400,
  validation_failed: 400,
  credential_reference_invalid: 400,
  credential_type_mismatch: 400,
  unknown_node: 400,
  node_type_mismatch: 400,
  reference_unresolved: 400,
  oauth_state_invalid: 400,
  not_signed_in: 401,
  sign_in_failed: 401,
  api_key_missing: 401,
  api_key_invalid: 401,
  api_key_expired: 401,
  access_token_missing: 401,
  access_token_invalid: 401,
  webhook_refused: 401,
  insufficient_scope: 403,
  api_key_not_accepted: 403,
  organization_key_required: 403,
  tool_not_allowed: 403,
  role_required: 403,
  origin_refused: 403,
  host_refused: 403,
  setup_token_invalid: 403,
  sign_up_closed: 403,
  invitation_not_yours: 403,
  credential_not_accessible: 403,
  outbound_refused: 403,
  not_found: 404,
  workflow_not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  conflict: 409,
  confirmation_required: 409,
  credential_needs_reconnect: 409,
  credential_incomplete: 409,
  credential_in_use: 409,
  workflow_inactive: 409,
  workflow_not_published: 409,
  write_repeated: 409,
  trigger_off: 409,
  run_not_finished: 409,
  run_finished: 409,
  stopped_by_workflow: 409,
  model_not_configured: 409,
  setup_done: 409,
  email_taken: 409,
  last_owner: 409,
  body_too_large: 413,
  outputs_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  queue_full: 429,
  headers_too_large: 431,
  cancelled: 499,
  internal_error: 500,
  credential_unreadable: 500,
  provider_error: 502,
  provider_unreachable: 502,
  credential_refresh_paused: 502,
  workflow_failed: 502,
  interrupted: 502,
  database_unavailable: 503,
  record_unavailable: 503,
  shutting_down: 503,
  slot_lost: 503,
  expression_timeout: 504,
  outbound_timeout: 504,
  tool_timeout: 504,
  run_timeout: 504,
} as const;

export type RefusalCode = keyof typeof refusalStatus;

/** One wrong field: `pointer` is a JSON Pointer into the body, or the name of a parameter or header. */
export type FieldFault = { pointer: string; detail: string };

/** What a provider said when it was the one that refused. */
type ProviderAnswer = {
  status: number | undefined;
  code: string | undefined;
  /** It said so in words, and not only with the status, which some also use for a scope that is missing. */
  refusesCredential?: boolean;
  /** It knows the credential, which may not do what was asked for. */
  lacksPermission?: boolean;
  /** Scopes that it says are missing; empty where it does not name them. */
  missingScopes?: readonly string[] | undefined;
  /** How long it asked to be left alone. */
  retryAfterMs?: number | undefined;
};

/** Nobody reads more, and a list of a million wrong entries would be answered with as many faults. */
export const maxFieldFaults = 100;

/** What became of what was asked for: nothing at all, or nobody knows. Not given where the code says it. */
type Effect = "none" | "unknown";

type RefusalDetails = {
  errors?: FieldFault[];
  headers?: Record<string, string>;
  provider?: ProviderAnswer;
  effect?: Effect | undefined;
  cause?: unknown;
};

/** An expected "no". The message is for the caller: no secret, no SQL, no stack. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly errors: FieldFault[] | undefined;
  readonly headers: Record<string, string> | undefined;
  readonly provider: ProviderAnswer | undefined;
  readonly effect: Effect | undefined;

  constructor(code: RefusalCode, message: string, details: RefusalDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "Refusal";
    this.code = code;
    this.errors = details.errors?.slice(0, maxFieldFaults);
    this.headers = details.headers;
    this.provider = details.provider;
    this.effect = details.effect;
  }

  /** The same "no" in other words, e.g. without the secrets it quoted. */
  reworded(reword: (text: string) => string, effect = this.effect): Refusal {
    const errors = this.errors?.map(({ pointer, detail }) => ({ pointer: reword(pointer), detail: reword(detail) }));
    const provider = this.provider && { ...this.provider, code: this.provider.code && reword(this.provider.code) };
    return new Refusal(this.code, reword(this.message), {
      effect,
      ...(errors ? { errors } : {}),
      ...(this.headers ? { headers: this.headers } : {}),
      ...(provider ? { provider } : {}),
    });
  }

  /** Whether the provider did not accept the credential itself, and not only for this call. */
  get isUnauthorized(): boolean {
    return this.provider?.status === 401 && this.provider.lacksPermission !== true;
  }

  get status(): number {
    return refusalStatus[this.code];
  }
}
