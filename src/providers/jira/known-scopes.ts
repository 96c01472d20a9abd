/** In the words of the vendor. */
export const knownScopes: Record<string, string> = {
  "read:jira-work": "View Jira issue data.",
  "write:jira-work": "Create and manage issues.",
  offline_access: "Get a refresh token.",
  "read:jira-user": "View user profiles.",
  "manage:jira-project": "Manage project settings.",
  "manage:jira-webhook": "Manage Jira webhooks.",
};
