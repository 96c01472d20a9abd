import type { ApiVersion } from "../../contract/api-version.ts";

export const apiVersions = {
  // GitHub promised 24 months from the release of 2026-03-10 on.
  rest: { version: "2022-11-28", endsOn: "2028-03-10" },
} satisfies Record<string, ApiVersion>;
