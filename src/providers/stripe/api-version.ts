import type { ApiVersion } from "../../contract/api-version.ts";

export const apiVersions = {
  // Stripe goes on answering in the form of the version that a request names, and announces no end of any.
  rest: { version: "2023-08-16", endsOn: null },
} satisfies Record<string, ApiVersion>;
