import { node, type WorkflowApp } from "./workflow-app.ts";

type Others = NonNullable<Parameters<typeof node>[3]>;

/** A node that asks a counting provider for one thing. */
export const issue = (id: string, title: string, others: Others = {}) =>
  node(id, "github_create_issue", { owner: "acme", repo: "site", title }, others);

/** An account at a counting provider. */
export async function connectGithub({ app, owner: { organizationId } }: WorkflowApp, baseUrl: string, token: string) {
  const data = { kind: "bearer", accessToken: token, baseUrl };
  return await app.parts.vault.credentials.create(organizationId, {
    type: "github",
    name: token,
    data,
    createdBy: null,
  });
}

/** An account for HTTP requests that sends no secret, as what nodes take that name none. */
export async function useHttp({ app, owner: { organizationId } }: WorkflowApp): Promise<void> {
  const data = { kind: "custom", authKind: "none" };
  const { credentials, defaults } = app.parts.vault;
  const { id } = await credentials.create(organizationId, { type: "http_auth", name: "HTTP", data, createdBy: null });
  await defaults.set({ organizationId, apiKeyId: null, type: "http_auth" }, id);
}

/** An account at a counting provider, as what nodes take that name none. */
export async function useGithub(where: WorkflowApp, baseUrl: string, token = "token-by-default"): Promise<void> {
  const { id } = await connectGithub(where, baseUrl, token);
  await where.app.parts.vault.defaults.set(
    { organizationId: where.owner.organizationId, apiKeyId: null, type: "github" },
    id,
  );
}
