import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { createDiscordSigner } from "../support/triggers/sign-delivery.ts";
import { deliver, startWebhookApp, type WebhookApp } from "../support/triggers/webhook-app.ts";

type Command = { id: string; name: string; description: string };

let hooks: WebhookApp;
let server: Server;
const signer = createDiscordSigner();
const discord: { url: string; address: string | null; commands: Command[]; deleted: string[]; refuses: boolean } = {
  url: "",
  address: null,
  commands: [],
  deleted: [],
  refuses: false,
};

/** As Discord does: an address is tried with a signed ping before it is taken, and a command of the same name is overwritten. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = (status: number, value?: unknown) =>
      response.writeHead(status).end(value === undefined ? "" : JSON.stringify(value));
    const route = `${request.method} ${request.url}`;
    const application = () => ({ id: "77", verify_key: signer.publicKey, interactions_endpoint_url: discord.address });
    const routes: Record<string, () => unknown> = {
      "GET /applications/@me": () => answer(200, application()),
      "PATCH /applications/@me": async () => {
        const { interactions_endpoint_url: address } = (await readJson(request)) as {
          interactions_endpoint_url: string | null;
        };
        const ping = JSON.stringify({ type: 1, id: "1" });
        const isTaken = address === null || (await deliver(address, ping, signer.sign(ping))).status === 200;
        if (!isTaken) return answer(400, { code: 50035, message: "Invalid Form Body" });
        discord.address = address;
        return answer(200, application());
      },
      "GET /applications/77/commands": () => answer(200, discord.commands),
      "POST /applications/77/commands": async () => {
        const made = (await readJson(request)) as Command;
        if (discord.refuses) return answer(400, { code: 50035, message: "Invalid Form Body" });
        discord.commands = [
          ...discord.commands.filter(({ name }) => name !== made.name),
          { ...made, id: `c-${made.name}` },
        ];
        return answer(201, made);
      },
    };
    const [, id] = /^DELETE \/applications\/77\/commands\/(.+)$/.exec(route) ?? [];
    if (id !== undefined) {
      discord.commands = discord.commands.filter((command) => command.id !== id);
      discord.deleted.push(id);
      return void answer(204);
    }
    void (routes[route] ?? (() => answer(404, { message: "Unknown", code: 0 })))();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  discord.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  hooks = await startWebhookApp();
});
beforeEach(() => Object.assign(discord, { address: null, commands: [], deleted: [], refuses: false }));
afterAll(async () => {
  await hooks?.stop();
  server?.close();
});

const account = () => ({ botToken: "canary-token", baseUrl: discord.url });
const setUp = (fields: object = {}) => hooks.ofProvider("discord", account(), { register: true, ...fields });
const remove = (id: string) => hooks.owner.browser.delete(`${hooks.path}/${id}`);

it("is told where interactions go, answers the ping meanwhile, and takes what is signed with its own key", async () => {
  const made = await setUp();
  expect(made).toMatchObject({ isRegistered: true, webhookUrl: null });
  expect(discord.address).toMatch(new RegExp(`^${hooks.app.platformUrl}/webhooks/${made.id}/`));
  const body = JSON.stringify({ type: 2, id: "9", data: { name: "deploy" }, member: { user: { id: "5" } } });
  expect((await deliver(discord.address ?? "", body, signer.sign(body))).status).toBeLessThan(300);
  expect((await deliver(discord.address ?? "", body, createDiscordSigner().sign(body))).status).toBe(401);
  expect(await hooks.startedBy(made.id)).toHaveLength(1);
  expect((await remove(made.id)).status).toBe(204);
  expect(discord.address).toBeNull();
});

it("makes the commands that its events name, leaves those of others, and removes its own again", async () => {
  const theirs = { id: "c-deploy", name: "deploy", description: "Made by hand" };
  discord.commands = [theirs, { id: "c-old", name: "old", description: "Made by hand" }];
  const events = [
    "application_command.deploy",
    "application_command.report",
    "application_command.x*",
    "modal_submit.form",
  ];
  const made = await setUp({ events });
  expect(discord.commands.map(({ name }) => name)).toEqual(["deploy", "old", "report"]);
  expect(discord.commands[0]).toEqual(theirs);
  expect(discord.commands[2]).toMatchObject({
    name: "report",
    type: 1,
    description: expect.stringMatching(/^Starts a workflow/),
  });

  const { address } = discord;
  const change = { events: ["application_command.status"] };
  expect((await hooks.owner.browser.patch(`${hooks.path}/${made.id}`, change)).status).toBe(200);
  expect(discord.commands.map(({ name }) => name)).toEqual(["deploy", "old", "status"]);
  expect(discord.address).toBe(address);

  expect((await hooks.owner.browser.post(`${hooks.path}/${made.id}/regenerate-token`)).status).toBe(200);
  expect(discord.commands.map(({ name }) => name)).toEqual(["deploy", "old", "status"]);
  expect([
    discord.address?.startsWith(`${hooks.app.platformUrl}/webhooks/${made.id}/`),
    discord.address === address,
  ]).toEqual([true, false]);

  expect((await remove(made.id)).status).toBe(204);
  expect(discord.commands.map(({ name }) => name)).toEqual(["deploy", "old"]);
  expect(discord.deleted).toEqual(["c-report", "c-status"]);
});

it("does not take an application away from another address, and leaves nothing behind when a command is refused", async () => {
  discord.address = "https://other.test/secret-path";
  const credentialId = await hooks.connect("discord", account());
  const wanted = {
    workflowId: hooks.workflowId,
    kind: "webhook",
    name: "W",
    provider: "discord",
    credentialId,
    register: true,
  };
  const problem = expectProblem(await hooks.owner.browser.post(hooks.path, wanted), { status: 409, code: "conflict" });
  expect(problem.detail).toBe(
    "This application sends its interactions to another address at other.test. Remove that address first.",
  );
  expect(discord.address).toBe("https://other.test/secret-path");

  Object.assign(discord, { address: null, refuses: true });
  const refused = await hooks.owner.browser.post(hooks.path, { ...wanted, events: ["application_command.Bad Name"] });
  expect([refused.status, discord.address, discord.commands]).toEqual([502, null, []]);
});
