import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { openConsent } from "../support/oauth/oauth-client.ts";

const program = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));

let oauth: OAuthApp;
beforeAll(async () => {
  oauth = await startOAuthApp();
});
afterAll(() => oauth.stop());

/** Runs the suite and, when it shows an address to open, approves there as a person would. */
async function runSuite(words: string[]) {
  const child = spawn(
    process.execPath,
    [program, "authorization", "--url", oauth.app.config.oauth.issuerUrl, ...words],
    {
      timeout: 50_000,
    },
  );
  let output = "";
  let approved: Promise<unknown> | undefined;
  const read = (chunk: Buffer) => {
    output += chunk.toString();
    const [address] = /http:\/\/\S+\/oauth\/authorize\?\S+(?=\s)/.exec(output) ?? [];
    if (address !== undefined) approved ??= approve(address);
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const code = await new Promise<number | null>((resolve) => void child.on("close", resolve));
  await approved;
  return { code, output, wasAsked: approved !== undefined };
}

async function approve(address: string): Promise<void> {
  const consent = await openConsent(address, oauth.ann);
  const { resumed } = await consent.answer({ approve: true, organizationId: oauth.ann.organizationId });
  await fetch(resumed.location);
}

it.each(["2025-11-25", "2026-07-28"])(
  "passes the suite's checks of authorization servers, %s",
  { timeout: 60_000 },
  async (revision) => {
    const port = await freePort();
    const { body } = await oauth.client.register({ redirect_uris: [`http://127.0.0.1:${port}/callback`] });
    const resource = oauth.client.resourceOf("slack");
    const words = [
      "--client-id",
      String(body.client_id),
      "--resource",
      resource,
      "--port",
      String(port),
      "--spec-version",
      revision,
    ];
    const { code, output, wasAsked } = await runSuite(words);
    expect([code, wasAsked], output).toEqual([0, true]);
    expect(output).toMatch(/Total: 3 passed, 0 failed/);
  },
);
