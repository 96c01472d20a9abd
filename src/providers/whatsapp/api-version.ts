import type { ApiVersion } from "../../contract/api-version.ts";

export const apiVersions = {
  graph: { version: "v23.0", endsOn: "2027-10-08" },
} satisfies Record<string, ApiVersion>;
