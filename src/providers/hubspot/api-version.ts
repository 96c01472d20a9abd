import type { ApiVersion } from "../../contract/api-version.ts";

export const apiVersions = {
  // Numbered versions are supported until September 2027; their successors have dates: /crm/objects/2026-09/contacts.
  crm: { version: "v3", endsOn: "2027-09-01" },
  // v1 ends on 2027-02-16. A dated version is supported for 18 months.
  oauth: { version: "2026-03", endsOn: "2027-09-30" },
} satisfies Record<string, ApiVersion>;

export const contactsPath = `/crm/${apiVersions.crm.version}/objects/contacts`;
