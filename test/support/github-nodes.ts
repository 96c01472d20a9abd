import { node, type WorkflowApp } from "./workflow-app.ts";

type Others = NonNullable<Parameters<typeof node>[3]>;

/** A node that asks a counting provider for one thing. */
export const issue = (id: string, title: string, others: Others = {}) =>
  node(id, "github_create_issue", { owner: "acme", repo: "site", title }, others);

/** An account at a counting provider. */
export async function connectGithub({ app, owner: { organizationId } }: WorkflowApp, baseUrl: string, token: string) {
  const data = { kind: "bearer", accessToken: token, baseUrl };
  return await app.parts.vault.credentials.create(organizationId, { type: "github", name: token, data, createdBy: null });
}

/** The same, as what nodes take that name none. */
export async function useGithub(where: WorkflowApp, baseUrl: string, token = "token-by-default"): Promise<void> {
  const { id } = await connectGithub(where, baseUrl, token);
  await where.app.parts.vault.defaults.set({ organizationId: where.owner.organizationId, apiKeyId: null, type: "github" }, id);
}
