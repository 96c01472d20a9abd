import type { Database } from "../storage/database.ts";

const statement = { name: "history_notify", text: "SELECT pg_notify($1, message) FROM unnest($2::text[]) AS message" };

export const notify = (db: Database, channel: string, messages: string[]) =>
  db.prepared(statement, [channel, messages]);
