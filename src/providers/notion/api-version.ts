import type { ApiVersion } from "../../contract/api-version.ts";

export const apiVersions = {
  // The next one is 2026-03-11: `in_trash` for `archived`, `position` for `after`. Notion announces no ends.
  rest: { version: "2025-09-03", endsOn: null },
} satisfies Record<string, ApiVersion>;
