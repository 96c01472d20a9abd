/** In the words of the vendor. */
export const knownScopes: Record<string, string> = {
  repo: "Grants full access to public, internal and private repositories.",
  "read:user": "Grants access to read a user's profile data.",
  "read:org": "Read-only access to organization membership, organization projects and team membership.",
  project: "Grants read and write access to user and organization projects.",
  workflow: "Grants the ability to add and update GitHub Actions workflow files.",
  gist: "Grants write access to gists.",
  notifications: "Grants read access to a user's notifications and more.",
  "admin:repo_hook": "Grants read, write, ping and delete access to repository hooks.",
};
