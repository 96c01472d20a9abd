import type { Generated } from "kysely";
import type { TriggerKind } from "./wire.ts";

export type TriggerTables = {
  trigger: {
    organization_id: string;
    id: string;
    workflow_id: string;
    kind: TriggerKind;
    name: string;
    is_active: boolean;
    overrides: string;
    prompt: string;
    cron: string | null;
    time_zone: string | null;
    next_fire_at: Date | null;
    last_fired_at: Date | null;
    last_error: string | null;
    provider_id: string | null;
    credential_id: string | null;
    token_sha256: Buffer | null;
    secret_sealed: Buffer | null;
    /** With commas in between. */
    methods: string;
    answer_within_seconds: number | null;
    takes_bots: boolean;
    /** Lists of texts, as JSON. */
    events: string;
    places: string;
    filter: string;
    stopped_reason: string | null;
    /** Where the provider was told to deliver from, "" for the whole account; null where somebody set it up there by hand. */
    registered_place: string | null;
    /** Whose turn it is to tell the provider something. */
    registering_by: string | null;
    registering_until: Date | null;
    own_events: Generated<number>;
    own_events_since: Date | null;
    own_events_to: string | null;
    own_sender: string | null;
    own_sender_asked_at: Date | null;
    poll_id: string | null;
    /** As JSON. */
    poll_parameters: string | null;
    poll_every_seconds: number | null;
    poll_takes_existing: Generated<boolean>;
    poll_mark: string | null;
    /** Counts how often it began anew. */
    poll_round: Generated<number>;
    poll_wait_seconds: Generated<number>;
    last_polled_at: Date | null;
    next_poll_at: Date | null;
    /** Until when the service asked to be left alone. */
    poll_not_before: Date | null;
    created_by: string | null;
    created_at: Date;
    updated_at: Date;
  };
  workflow: { organization_id: string; id: string; name: string; deleted_at: Date | null };
};
