/** In the words of the vendor. */
export const knownScopes: Record<string, string> = {
  "data.records:read": "See the data in records.",
  "data.records:write": "Create, edit, and delete records.",
  "schema.bases:read": "See the structure of a base, like table names or field types.",
  "schema.bases:write": "Edit the structure of a base, like adding new fields or tables.",
  "data.recordComments:read": "See comments in records.",
  "data.recordComments:write": "Create, edit, and delete record comments.",
  "webhook:manage": "View, create, delete webhooks for a base, as well as fetch webhook payloads.",
};
