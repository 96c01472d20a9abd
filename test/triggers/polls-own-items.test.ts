import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createConnection } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeWithProgram, startMariaDb } from "../support/providers/real-servers.ts";
import { node } from "../support/runs/workflow-app.ts";
import { startTables } from "../support/storage/record-tables.ts";
import { type PollApp, startPollApp } from "../support/triggers/poll-app.ts";

let polls: PollApp;
let tables: Awaited<ReturnType<typeof startTables>>;
let account: Connected;

beforeAll(async () => {
  tables = await startTables();
  polls = await startPollApp({ TRIGGER_OWN_EVENTS_PER_MINUTE: "3" });
  account = await connect("airtable", { kind: "bearer", accessToken: "pat", baseUrl: tables.url });
});
afterAll(async () => {
  await polls.stop();
  await tables.stop();
});

type Connected = { id: string; reference: string };

const connect = async (type: string, data: object): Promise<Connected> =>
  (await polls.owner.browser.post(`${polls.flows.path}/credentials`, { type, name: type, data })).body as Connected;

const act = (nodeId: string, parameters: object, credentials: Record<string, string>) =>
  polls.flows.save([node("act", nodeId, parameters, { credentials })]);
/** A workflow that adds a record to a table for each that it gets. */
const adding = (table: string) =>
  act("airtable_create_record", { baseId: "app1", table, fields: {} }, { airtable: account.reference });

async function begin(poll: object, fields: object): Promise<string> {
  const { id } = await polls.create({ ...poll }, { ...fields });
  await polls.whenLooked(id);
  return id;
}
const polling = (table: string, workflowId: string) =>
  begin(
    { event: "new_record", parameters: { baseId: "app1", table } },
    { provider: "airtable", credentialId: account.id, workflowId },
  );

/** Looks, and waits until the runs that it started are over. */
async function look(triggerId: string): Promise<void> {
  expect((await polls.look(triggerId)).lastError).toBeNull();
  for (let tries = 0; tries < 200; tries++) {
    const [unfinished] = await polls.query("SELECT id FROM run WHERE trigger_id = $1 AND completed_at IS NULL", [
      triggerId,
    ]);
    if (!unfinished) return;
    await delay(25);
  }
  throw new Error("a run did not end");
}

const reasonOf = async (triggerId: string) =>
  ((await polls.read(triggerId)) as unknown as { stoppedReason: string | null }).stoppedReason;

async function lookUntilOff(triggerId: string): Promise<void> {
  await polls.query("UPDATE trigger SET next_poll_at = now() WHERE id = $1", [triggerId]);
  for (let tries = 0; tries < 200 && (await reasonOf(triggerId)) === null; tries++) await delay(25);
}

describe("a workflow that adds to the table it looks at", () => {
  it("is turned off once that started it more than so often in an hour, and says why", async () => {
    const id = await polling("Tasks", await adding("Tasks"));
    tables.add("Tasks");
    for (let looks = 0; looks < 4; looks++) await look(id);
    expect([await reasonOf(id), (await polls.startedBy(id)).length]).toEqual([null, 4]);
    await lookUntilOff(id);
    expect(await polls.read(id)).toMatchObject({
      active: false,
      stoppedReason:
        "Turned off, because what its workflow does at Airtable started it again more than 3 times in an hour. Change the workflow or what the trigger looks at before you turn it on.",
      poll: { nextPollAt: null },
    });
    expect(await polls.startedBy(id)).toHaveLength(4);
    const on = await polls.owner.browser.patch(`${polls.path}/${id}`, { active: true });
    expect(on.body).toMatchObject({ active: true, stoppedReason: null });
  });

  it("is counted anew after an hour", async () => {
    const id = await polling("Slow", await adding("Slow"));
    tables.add("Slow");
    for (let looks = 0; looks < 4; looks++) await look(id);
    await polls.query("UPDATE trigger SET own_events_since = own_events_since - interval '61 minutes' WHERE id = $1", [
      id,
    ]);
    await look(id);
    expect([await reasonOf(id), (await polls.startedBy(id)).length]).toEqual([null, 5]);
  });
});

describeWithProgram("mariadbd", "a workflow that adds to the MySQL table it polls", () => {
  const login = { user: "ann", password: "password of ann" };
  let server: NonNullable<Awaited<ReturnType<typeof startMariaDb>>>;
  beforeAll(async () => {
    const started = await startMariaDb(login);
    if (!started) throw new Error("MariaDB is missing");
    server = started;
  });
  afterAll(() => server.stop());

  it.each(["goods", "log"])(
    "is turned off, though no RETURNING names the rows, and not for adding elsewhere (%s)",
    async (table) => {
      const admin = await createConnection({
        ...login,
        host: "127.0.0.1",
        port: server.port,
        database: "shop",
        multipleStatements: true,
      });
      try {
        await admin.query(
          "CREATE OR REPLACE TABLE goods (id int AUTO_INCREMENT PRIMARY KEY, a int); CREATE OR REPLACE TABLE log LIKE goods",
        );
        const mysql = await connect("mysql", {
          ...login,
          host: "127.0.0.1",
          port: server.port,
          database: "shop",
          ssl: "disable",
        });
        const workflowId = await act(
          "mysql_execute",
          { sql: `INSERT INTO ${table} (a) VALUES (1)` },
          { mysql: mysql.reference },
        );
        const parameters = { table: "goods" };
        const id = await begin(
          { event: "new_row", parameters },
          { provider: "mysql", credentialId: mysql.id, workflowId },
        );
        for (let looks = 0; looks < 4; looks++) {
          if (looks === 0 || table === "log") await admin.query("INSERT INTO goods (a) VALUES (0)");
          await look(id);
        }
        const isOwn = table === "goods";
        if (isOwn) await lookUntilOff(id);
        expect(await reasonOf(id)).toEqual(
          isOwn ? expect.stringContaining("at MySQL started it again more than 3 times") : null,
        );
        expect(await polls.startedBy(id)).toHaveLength(4);
      } finally {
        await admin.end();
      }
    },
  );
});

describe("a workflow that others feed", () => {
  it("goes on, however much that is, though it acts at the same service", async () => {
    const id = await polling("Orders", await adding("Log"));
    for (let looks = 0; looks < 6; looks++) {
      tables.add("Orders");
      tables.add("Orders");
      await look(id);
    }
    expect([await reasonOf(id), (await polls.startedBy(id)).length]).toEqual([null, 12]);
  });

  it("goes on where it does nothing at that service", async () => {
    const id = await polling("Read", polls.workflowId);
    for (let looks = 0; looks < 5; looks++) {
      tables.add("Read");
      await look(id);
    }
    expect(await reasonOf(id)).toBeNull();
  });
});

describe("a workflow that sends mail", () => {
  it.each(["me@example.test", "ann@example.test"])(
    "is turned off by mail of its own account, and not by that of others (%s)",
    async (from) => {
      const mailbox = await startMailbox("Me@example.test", from);
      try {
        const gmail = await connect("gmail", { accessToken: "ya29", baseUrl: mailbox.url });
        const workflowId = await act(
          "gmail_send_email",
          { to: ["ann@example.test"], subject: "Hi", text: "Hi" },
          { gmail: gmail.reference },
        );
        const id = await begin(
          { event: "new_email", parameters: {} },
          { provider: "gmail", credentialId: gmail.id, workflowId },
        );
        mailbox.receive(5);
        const isOwn = from === "me@example.test";
        if (isOwn) await lookUntilOff(id);
        else await look(id);
        expect(await reasonOf(id)).toEqual(
          isOwn ? expect.stringContaining("at Gmail started it again more than 3 times in an hour") : null,
        );
        expect(await polls.startedBy(id)).toHaveLength(isOwn ? 3 : 5);
        expect(mailbox.profilesRead()).toBe(1);
      } finally {
        await mailbox.stop();
      }
    },
  );
});

/** Answers as Gmail does, with mail of one sender. */
async function startMailbox(emailAddress: string, from: string) {
  let [mails, profiles] = [0, 0];
  const headers = [{ name: "From", value: `Somebody <${from}>` }];
  const answerOf = (path: string) => {
    if (path.endsWith("/profile")) profiles++;
    const [, id] = /\/messages\/(m\d+)/.exec(path) ?? [];
    if (id)
      return {
        id,
        threadId: id,
        internalDate: String(Date.now()),
        payload: { mimeType: "text/plain", headers, body: { data: "" } },
      };
    if (path.endsWith("/messages"))
      return { messages: Array.from({ length: mails }, (_, index) => ({ id: `m${mails - index}` })) };
    return path.endsWith("/profile") ? { emailAddress } : { id: "sent", threadId: "sent" };
  };
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    request.resume().on("end", () => response.end(JSON.stringify(answerOf((request.url ?? "").split("?")[0] ?? ""))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    receive(more: number): void {
      mails += more;
    },
    profilesRead: () => profiles,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
