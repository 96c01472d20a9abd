import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";

let mcp: McpApp;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
beforeAll(async () => {
  mcp = await startMcpApp();
  bob = await signUpOwner(mcp.app, "Bob");
  await save("Account of Bob", bob.organizationId);
});
afterAll(() => mcp.stop());

const data = { kind: "bearer", accessToken: "canary-token" };
const save = (name: string, organizationId = mcp.owner.organizationId) =>
  mcp.app.parts.vault.credentials.create(organizationId, { type: "github", name, data, createdBy: null });

const parameters = { owner: "acme", repo: "site", title: "Hello" };
const call = async (given: object = {}) => {
  const { json } = await mcp.client.modern("github", "tools/call", {
    name: "github_create_issue",
    arguments: { ...parameters, ...given },
  });
  return { text: json.result?.content[0]?.text ?? "", error: json.result?._meta["switchyard/error"] };
};

describe("a call that names no account", () => {
  it("is told which field to send, in which form, and where to connect the first account", async () => {
    const { text, error } = await call();
    expect(text).toContain(
      'A credential of the type github is needed. Send it as credentials: {"github":"credential:organization:<uuid>"}.',
    );
    expect(text).toContain(`connect one: ${mcp.app.platformUrl}/o/${mcp.owner.organizationId}/credentials`);
    expect(error).toMatchObject({
      code: "credential_reference_invalid",
      errors: [{ pointer: "/credentials/github", detail: "is required" }],
    });
  });

  it("is told the usable accounts of its own organization, and of no other", async () => {
    const [first, second, ended] = [await save("GitHub of the team"), await save("Second"), await save("Ended")];
    await mcp.app.database.query("UPDATE credential SET health = 'needs_reconnect' WHERE id = $1", [ended.id]);
    const slack = { type: "slack", name: "A Slack account", data, createdBy: null };
    await mcp.app.parts.vault.credentials.create(mcp.owner.organizationId, slack);
    for (const given of [{}, { credentials: {} }]) {
      const { text } = await call(given);
      expect(text).toContain(`"GitHub of the team" is ${first.reference}`);
      expect(text).toContain(`"Second" is ${second.reference}`);
      for (const foreign of ["Bob", "Ended", "Slack", "canary"]) expect(text).not.toContain(foreign);
    }
    const asked = { parameters, confirm: true };
    const answer = await mcp.owner.browser.post(
      `/api/organizations/${mcp.owner.organizationId}/tools/github_create_issue/call`,
      asked,
    );
    const { detail } = expectProblem(answer, { status: 400, code: "credential_reference_invalid" });
    expect(detail).toContain(`"GitHub of the team" is ${first.reference}`);
  });

  it("is told at most ten of them", async () => {
    for (let number = 0; number < 12; number++) await save(`Number ${number}`);
    const { text } = await call();
    expect(text.match(/credential:organization:[0-9a-f-]{36}/g)).toHaveLength(10);
    expect(text).toMatch(/, and more\.$/);
  });

  it("finds the account that was made the default when it was saved", async () => {
    const path = `/api/organizations/${mcp.owner.organizationId}`;
    const request = { type: "github", name: "Chosen", data, makeDefault: true };
    const { status, body } = await mcp.owner.browser.post(`${path}/credentials`, request);
    expect(status).toBe(201);
    const defaults = async () => (await mcp.owner.browser.get(`${path}/default-credentials`)).body.data;
    expect(await defaults()).toEqual([
      { type: "github", credentialId: body.id, reference: body.reference, apiKeyId: null },
    ]);
    expect((await call()).error?.code).not.toBe("credential_reference_invalid");

    const next = await mcp.owner.browser.post(`${path}/credentials`, { ...request, name: "Next" });
    expect(await defaults()).toMatchObject([{ credentialId: next.body.id }]);
    await mcp.owner.browser.post(`${path}/credentials`, { ...request, name: "Another", makeDefault: false });
    expect(await defaults()).toMatchObject([{ credentialId: next.body.id }]);
  });

  it("is not helped by somebody who may not choose defaults", async () => {
    const mona = await signUpMember(mcp.app, mcp.owner.organizationId, "Mona", "member");
    const request = { type: "github", name: "Mine", data, makeDefault: true };
    const answer = await mona.browser.post(`/api/organizations/${mcp.owner.organizationId}/credentials`, request);
    expectProblem(answer, { status: 403, code: "role_required" });
  });
});
