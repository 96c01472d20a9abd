import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let slow: FakeProvider;
let path: string;

beforeAll(async () => {
  slow = await startFakeProvider();
  ann = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  path = `${ann.path}/triggers`;
});
beforeEach(() => slow.script([{ hang: true }]));
afterAll(async () => {
  await ann?.stop();
  await slow?.stop();
});

type Nodes = Parameters<WorkflowApp["save"]>[0];
type Made = { id: string; webhookUrl: string; answerWithinSeconds: number | null };

async function webhook(nodes: Nodes, lines = edges(), fields: Record<string, unknown> = {}): Promise<Made> {
  const workflowId = await ann.save(nodes, lines);
  const wanted = { workflowId, kind: "webhook", name: "Hook", signature: "none", answerWithinSeconds: 10, ...fields };
  const { status, body } = await ann.owner.browser.post(path, wanted);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body as Made;
}

async function deliver(url: string, body = "{}", headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const respond = (parameters: object, others: object = {}) => node("answer", "respond", parameters, others);
const hang = node("later", "http_request", { url: "http://placeholder.test" });
const hanging = () => ({ ...hang, parameters: { url: `${slow.url}/slow` } });

describe("an answer that the run gives", () => {
  it("has the status, the headers and the body of its node", async () => {
    const { webhookUrl, answerWithinSeconds } = await webhook([
      respond({
        status: 201,
        headers: { "X-Order": "{{ $trigger.payload.order }}", ETag: '"a"' },
        body: { got: "$trigger.payload.order" },
      }),
    ]);
    expect(answerWithinSeconds).toBe(10);
    const answer = await deliver(webhookUrl, '{"order": 5}');
    expect([answer.status, JSON.parse(answer.text)]).toEqual([201, { got: 5 }]);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect([answer.headers.get("x-order"), answer.headers.get("etag")]).toEqual(["5", '"a"']);
  });

  it.each<[string, object, [number, string, string | null]]>([
    ["text", { body: "Thank you" }, [200, "Thank you", "text/plain; charset=utf-8"]],
    [
      "a page",
      { body: "<p>Hi</p>", headers: { "content-type": "text/html; charset=utf-8" } },
      [200, "<p>Hi</p>", "text/html; charset=utf-8"],
    ],
    ["nothing", { status: 204 }, [204, "", null]],
    ["a list", { body: [1, "a"] }, [200, '[1,"a"]', "application/json; charset=utf-8"]],
    ["a refusal", { status: 422, body: { error: "no" } }, [422, '{"error":"no"}', "application/json; charset=utf-8"]],
  ])("may be %s", async (_name, parameters, [status, text, type]) => {
    const answer = await deliver((await webhook([respond(parameters)])).webhookUrl);
    expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([status, text, type]);
  });

  it("is no page of this server: it runs nothing, and tells nobody the address", async () => {
    const { webhookUrl } = await webhook([
      respond({ body: "<script>x</script>", headers: { "content-type": "text/html" } }),
    ]);
    const { headers } = await deliver(webhookUrl);
    expect(headers.get("content-security-policy")).toMatch(/(^|; )sandbox(;|$)/);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect([headers.get("referrer-policy"), headers.get("x-content-type-options")]).toEqual(["no-referrer", "nosniff"]);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("leaves before the rest of the run, which goes on", async () => {
    const { webhookUrl } = await webhook([respond({ body: "first" }), hanging()], edges("answer>later"));
    const answer = await deliver(webhookUrl);
    expect([answer.status, answer.text]).toEqual([200, "first"]);
    const [{ status } = { status: "" }] = await ann.app.database.query<{ status: string }>(
      "SELECT status FROM run ORDER BY id DESC LIMIT 1",
    );
    expect(["running", "pending"]).toContain(status);
  });

  it("counts although a later node fails, and the first of two counts", async () => {
    const nodes = [respond({ body: "one" }), node("halt", "stop", { message: "canary" })];
    expect((await deliver((await webhook(nodes, edges("answer>halt"))).webhookUrl)).text).toBe("one");
    const two = [respond({ body: "one" }), node("second", "respond", { body: "two" })];
    expect((await deliver((await webhook(two, edges("answer>second"))).webhookUrl)).text).toBe("one");
  });

  it("is the same for a delivery that is repeated", async () => {
    const { id, webhookUrl } = await webhook([respond({ status: 201, body: { at: "{{ $now() }}" } })]);
    const headers = { "webhook-id": "msg_1" };
    const [first, second] = [await deliver(webhookUrl, "{}", headers), await deliver(webhookUrl, "{}", headers)];
    expect([first?.status, second?.status, second?.text]).toEqual([201, 201, first?.text]);
    expect(await ann.app.database.query("SELECT id FROM run WHERE trigger_id = $1", [id])).toHaveLength(1);
  });

  it("is the result of the run where no node gives one", async () => {
    const { webhookUrl } = await webhook([node("a", "set_fields", { fields: { sum: 5 }, keepOthers: false })]);
    const answer = await deliver(webhookUrl);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, [{ sum: 5 }]]);
  });

  it("says that a run failed, and not why", async () => {
    const { webhookUrl } = await webhook([node("halt", "stop", { message: "canary" })]);
    const answer = await deliver(webhookUrl);
    const { detail } = expectProblem(answer, { status: 502, code: "workflow_failed" });
    expect(detail).toBe("The run of this delivery failed.");
    expect(answer.text).not.toContain("canary");
  });

  it("is 202 with the run's id when it takes too long, or when nobody chose to wait", async () => {
    const late = await webhook([hanging(), respond({ body: "late" })], edges("later>answer"), {
      answerWithinSeconds: 1,
    });
    const begun = performance.now();
    const answer = await deliver(late.webhookUrl);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([202, { id: expect.any(String) }]);
    expect(performance.now() - begun).toBeGreaterThan(900);
    const atOnce = await webhook([respond({ body: "x" })], edges(), { answerWithinSeconds: undefined });
    expect(atOnce.answerWithinSeconds).toBeNull();
    expect((await deliver(atOnce.webhookUrl)).status).toBe(202);
  });

  it("does nothing in a run that no webhook waits for", async () => {
    const run = await ann.run(await ann.save([respond({ status: 201, body: "x", headers: { "X-A": 1 } })]));
    expect(run).toMatchObject({ status: "succeeded", result: [{ status: 201, headers: { "x-a": "1" }, body: "x" }] });
  });
});

describe("what an answer may not be", () => {
  it.each<[string, object, string]>([
    ["a redirect", { status: 302 }, "/status"],
    ["no status", { status: 99 }, "/status"],
    ["a cookie", { headers: { "Set-Cookie": "a=1" } }, "/headers/Set-Cookie"],
    ["a place to go", { headers: { Location: "https://evil.test" } }, "/headers/Location"],
    ["another policy", { headers: { "content-security-policy": "x" } }, "/headers/content-security-policy"],
    ["an order to a proxy", { headers: { "X-Accel-Redirect": "/etc/passwd" } }, "/headers/X-Accel-Redirect"],
    ["two lines", { headers: { "X-A": "a\r\nSet-Cookie: b" } }, "/headers/X-A"],
  ])("%s is refused when it is saved", async (_name, parameters, pointer) => {
    const canvas = { nodes: [respond(parameters)], edges: [] };
    const answer = await ann.owner.browser.post(`${ann.path}/workflows`, { name: "W", canvas });
    const { errors } = expectProblem(answer, { status: 400, code: "validation_failed" });
    expect(errors).toMatchObject([{ pointer: `/canvas/nodes/0/parameters${pointer}` }]);
  });

  it("is refused in the run where only the run knows it", async () => {
    const run = await ann.run(await ann.save([respond({ headers: { "X-A": "{{ $trigger.prompt }}" } })]), {
      runtimePrompt: "a\r\nb",
    });
    expect(run.error).toMatchObject({ code: "validation_failed", nodeId: "answer" });
  });

  it.each([
    [{ answerWithinSeconds: 0 }],
    [{ answerWithinSeconds: 31 }],
    [{ kind: "schedule", signature: undefined, cron: "0 0 1 1 *", timeZone: "UTC", answerWithinSeconds: 5 }],
  ])("is waited for as %j by no trigger", async (fields) => {
    const workflowId = await ann.save([respond({})]);
    const wanted = { workflowId, kind: "webhook", name: "Hook", signature: "none", ...fields };
    expectProblem(await ann.owner.browser.post(path, wanted), { status: 400, code: "validation_failed" });
  });

  it("is no longer waited for once the trigger is changed", async () => {
    const { id, webhookUrl } = await webhook([respond({ body: "x" })]);
    expect(
      (await ann.owner.browser.patch(`${path}/${id}`, { answerWithinSeconds: null })).body.answerWithinSeconds,
    ).toBeNull();
    expect((await deliver(webhookUrl)).status).toBe(202);
    expect((await ann.owner.browser.patch(`${path}/${id}`, { name: "Other" })).body.answerWithinSeconds).toBeNull();
  });
});
