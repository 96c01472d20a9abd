import { pino } from "pino";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { createTracing } from "../base/tracing.ts";
import { createDoor, type DoorOptions } from "./create-door.ts";
import { createMetrics } from "./metrics.ts";
import { createTurns } from "./turns.ts";

const logLines: string[] = [];
const options: DoorOptions = {
  name: "platform",
  baseUrl: "https://switchyard.example",
  trustedProxies: [],
  log: pino({ level: "debug" }, { write: (line) => void logLines.push(line) }),
  metrics: createMetrics(),
  tracing: createTracing(),
  turns: createTurns(),
  metricsToken: undefined,
  isDatabaseReachable: async () => true,
  isStopping: () => false,
};
const config = { access: "public" } as const;
const headers = { host: "switchyard.example" };
let door = createDoor(options);

afterEach(async () => {
  await door.close();
  door = createDoor(options);
});

it("does not open with a route that declares no access", async () => {
  door.get("/open", { config }, () => "ok");
  door.get("/forgotten", () => "ok");
  await expect(door.ready()).rejects.toThrow("The route GET /forgotten declares no access.");
});

it("names every wrong field with a JSON pointer and says the first one in words", async () => {
  const schema = { body: z.object({ "a/b": z.array(z.object({ "~c": z.string() })), name: z.string().min(2) }) };
  door.post("/things", { config, schema }, () => "ok");
  const answer = await door.inject({ method: "POST", url: "/things", headers, payload: { "a/b": [{}], name: "x" } });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({
    code: "validation_failed",
    detail: "a~1b/0/~0c is required.",
    errors: [
      { pointer: "/a~1b/0/~0c", detail: "is required" },
      { pointer: "/name", detail: "must be at least 2 characters" },
    ],
  });
});

it("names a wrong parameter by its name and a wrong body as the body", async () => {
  const schema = {
    params: z.object({ id: z.uuid() }),
    body: z.object({}),
    querystring: z.object({ page: z.string() }),
  };
  door.post("/things/:id", { config, schema }, () => "ok");
  const id = "01a1dd74-dcd0-7482-9824-7dd92ead8c71";
  const post = async (url: string, payload: object) =>
    (await door.inject({ method: "POST", url, headers, payload })).json();
  expect(await post("/things/1", {})).toMatchObject({ detail: "id is not a valid id.", errors: [{ pointer: "id" }] });
  expect(await post(`/things/${id}?page=1`, [])).toMatchObject({
    detail: "The body must be an object.",
    errors: [{ pointer: "" }],
  });
  expect(await post(`/things/${id}`, {})).toMatchObject({ detail: "page is required.", errors: [{ pointer: "page" }] });
});

it("answers an unexpected failure without its words and keeps them in the log", async () => {
  door.get("/broken", { config }, () => {
    throw new Error("SELECT secret FROM vault");
  });
  const answer = await door.inject({ url: "/broken", headers });
  expect([answer.statusCode, answer.json().code]).toEqual([500, "internal_error"]);
  expect(answer.body).not.toContain("secret");
  expect(logLines.join("")).toContain("SELECT secret FROM vault");
});

it("takes the status of a library inside a feature for a failure of its own", async () => {
  door.get("/broken", { config }, () => {
    throw Object.assign(new Error("no"), { statusCode: 401, code: "UNAUTHORIZED" });
  });
  expect((await door.inject({ url: "/broken", headers })).json().code).toBe("internal_error");
});

it("does not send an answer that its schema does not describe", async () => {
  door.get(
    "/leak",
    { config, schema: { response: { 200: z.object({ id: z.string() }) } } },
    () => ({ id: 5, hash: "x" }) as never,
  );
  const answer = await door.inject({ url: "/leak", headers });
  expect([answer.statusCode, answer.json().code]).toEqual([500, "internal_error"]);
});

it.each(["evil.example", "switchyard.example.evil.example", "switchyard.example:81"])(
  "refuses the host %j",
  async (host) => {
    door.get("/open", { config }, () => "ok");
    expect((await door.inject({ url: "/open", headers: { host } })).json().code).toBe("host_refused");
  },
);

it.each(["switchyard.example", "Switchyard.Example", "localhost:3000", "127.0.0.1", "[::1]:3000"])(
  "accepts the host %s",
  async (host) => {
    door.get("/open", { config }, () => "ok");
    expect((await door.inject({ url: "/open", headers: { host } })).statusCode).toBe(200);
  },
);

it("asks callers to come back on a new connection while it stops", async () => {
  const stopping = createDoor({ ...options, isStopping: () => true });
  stopping.get("/open", { config }, () => "ok");
  expect((await stopping.inject({ url: "/open", headers })).headers.connection).toBe("close");
  await stopping.close();
});
