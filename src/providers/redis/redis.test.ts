import { connect, createServer } from "node:net";
import tls from "node:tls";
import { createClient } from "redis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createCertificate } from "../../../test/support/certificate.ts";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeWithProgram, startRedis } from "../../../test/support/providers/real-servers.ts";
import { redisCredential } from "./credential.ts";
import { action as get } from "./get.ts";
import { action as set } from "./set.ts";

describeWithProgram("redis-server", "against Redis", () => {
  const password = 'pa ss"wörd';
  let server: NonNullable<Awaited<ReturnType<typeof startRedis>>>;
  let admin: ReturnType<typeof createClient>;
  const credential = (more: Record<string, unknown> = {}) => ({
    host: "127.0.0.1",
    port: server.port,
    password,
    database: 0,
    tls: false,
    ...more,
  });
  const read = async (key: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
    await callTool(get, { input: { key }, credential: credential(more), ...(signal ? { signal } : {}) });
  const write = async (input: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    await callTool(set, { input, credential: credential(more) });

  beforeAll(async () => {
    const started = await startRedis({ password });
    if (!started) throw new Error("Redis is missing");
    server = started;
    admin = createClient({ socket: { host: "127.0.0.1", port: server.port }, password });
    await admin.connect();
  });
  beforeEach(async () => void (await admin.flushAll()));
  afterAll(async () => {
    admin.destroy();
    await server.stop();
  });

  describe("redis_set", () => {
    it("stores a text", async () => {
      expect(await write({ key: "a", value: "1" })).toEqual([{ key: "a", stored: true }]);
      expect(await admin.get("a")).toBe("1");
      expect(await admin.ttl("a")).toBe(-1);
    });

    it("lets it expire, and keeps a value that is there when told so", async () => {
      expect(await write({ key: "a", value: "1", ttlSeconds: 100, onlyIfAbsent: true })).toEqual([
        { key: "a", stored: true },
      ]);
      expect(await admin.ttl("a")).toBeGreaterThan(90);
      expect(await write({ key: "a", value: "2", onlyIfAbsent: true })).toEqual([{ key: "a", stored: false }]);
      expect(await admin.get("a")).toBe("1");
      expect(await write({ key: "a", value: "3" })).toEqual([{ key: "a", stored: true }]);
      expect(await admin.ttl("a")).toBe(-1);
    });

    it("takes any text for key and value as it is", async () => {
      const key = "ü \r\nDEL a\r\n\0*{}'\"";
      expect(await write({ key, value: `${key}😀` })).toEqual([{ key, stored: true }]);
      expect(await admin.get(key)).toBe(`${key}😀`);
      expect(await write({ key: "empty", value: "" })).toEqual([{ key: "empty", stored: true }]);
      expect(await read("empty")).toEqual([{ key: "empty", exists: true, type: "string", value: "", ttlSeconds: -1 }]);
    });

    it("uses the database of the credential", async () => {
      await write({ key: "a", value: "1" }, { database: 3 });
      expect(await admin.exists("a")).toBe(0);
      expect(await read("a", { database: 3 })).toMatchObject([{ value: "1" }]);
    });

    it("reports the server's own code and words", async () => {
      await admin.configSet("maxmemory", "1");
      await expect(write({ key: "a", value: "1" })).rejects.toThrow(
        /Redis refused the call \(OOM\): command not allowed/,
      );
      await admin.configSet("maxmemory", "0");
    });
  });

  describe("redis_get", () => {
    it("says when there is no such key", async () => {
      expect(await read("nothing")).toEqual([{ key: "nothing", exists: false }]);
    });

    it("reads a value of any type", async () => {
      await admin.setEx("text", 100, "ü");
      await admin.hSet("hash", { a: "1", ["__proto__"]: "2" });
      await admin.rPush("list", ["b", "a", "b"]);
      await admin.sAdd("set", ["x"]);
      await admin.zAdd("zset", [
        { value: "low", score: -1.5 },
        { value: "high", score: Number.POSITIVE_INFINITY },
      ]);
      await admin.xAdd("stream", "1-1", { temperature: "20" });
      const values = Object.fromEntries(
        await Promise.all(["hash", "list", "set", "zset", "stream"].map(async (key) => [key, (await read(key))[0]])),
      );
      expect(await read("text")).toEqual([
        { key: "text", exists: true, type: "string", value: "ü", ttlSeconds: expect.any(Number) },
      ]);
      expect(Object.entries(values.hash.value)).toEqual([
        ["a", "1"],
        ["__proto__", "2"],
      ]);
      expect(values).toMatchObject({
        list: { type: "list", value: ["b", "a", "b"], ttlSeconds: -1 },
        set: { type: "set", value: ["x"] },
        zset: {
          type: "zset",
          value: [
            { member: "low", score: -1.5 },
            { member: "high", score: "inf" },
          ],
        },
        stream: { type: "stream", value: [{ id: "1-1", fields: { temperature: "20" } }] },
      });
    });

    it("keeps bytes that are not text", async () => {
      await admin.set("bytes", Buffer.from([0xff, 0]));
      expect(await read("bytes")).toMatchObject([{ value: { base64: "/wA=" } }]);
    });

    it("refuses what is too large, without reading it", async () => {
      await admin.setRange("large", 10 * 1024 * 1024, "x");
      await expect(read("large")).rejects.toThrow("larger than 10 MB");
      await admin.eval("for i = 1, 10001 do redis.call('RPUSH', 'long', i) end");
      await expect(read("long")).rejects.toThrow("has 10001 elements");
      await admin.lPop("long");
      expect((await read("long"))[0]?.value).toHaveLength(10_000);
      await admin.eval("for i = 1, 11 do redis.call('SADD', 'heavy', i .. string.rep('x', 1024 * 1024)) end");
      await expect(read("heavy")).rejects.toThrow("larger than 10 MB");
    });
  });

  describe("the connection", () => {
    const sessions = async () =>
      String(await admin.sendCommand(["CLIENT", "LIST", "TYPE", "normal"]))
        .trim()
        .split("\n").length - 1;

    it("is closed after each call, whatever happened", async () => {
      await read("a");
      await read("a", { database: 99 }).catch(() => {});
      await expect.poll(sessions).toBe(0);
    });

    it("says what is wrong with the login, without the password", async () => {
      const wrong = read("a", { password: "not this one" });
      await expect(wrong).rejects.toMatchObject({
        code: "provider_error",
        provider: { code: "WRONGPASS" },
        message: expect.not.stringContaining("not this one"),
      });
      await expect(read("a", { password: undefined })).rejects.toMatchObject({ provider: { code: "NOAUTH" } });
      await expect(read("a", { database: 99 })).rejects.toThrow("DB index is out of range");
    });

    it("logs in as the user of the credential, who may do what the server allows", async () => {
      await admin.sendCommand([
        "ACL",
        "SETUSER",
        "reader",
        "on",
        ">secret",
        "~*",
        "+get",
        "+type",
        "+strlen",
        "+ttl",
        "+llen",
        "+lrange",
        "+select",
      ]);
      await admin.set("a", "1");
      await admin.rPush("l", "x");
      expect(await read("a", { username: "reader", password: "secret" })).toMatchObject([{ value: "1" }]);
      expect(await read("l", { username: "reader", password: "secret" })).toMatchObject([{ value: ["x"] }]);
      await expect(write({ key: "a", value: "1" }, { username: "reader", password: "secret" })).rejects.toMatchObject({
        provider: { code: "NOPERM" },
      });
    });

    it("says when nobody listens", async () => {
      await expect(read("a", { port: 1 })).rejects.toMatchObject({
        code: "provider_unreachable",
        message: expect.stringContaining("ECONNREFUSED"),
      });
    });

    it("says when the line is cut in the middle", async () => {
      const relay = createServer((socket) => {
        const upstream = connect({ host: "127.0.0.1", port: server.port });
        socket.pipe(upstream);
        socket.on("error", () => {});
        setTimeout(() => {
          socket.resetAndDestroy();
          upstream.destroy();
        }, 200);
      });
      await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
      const { port } = relay.address() as { port: number };
      await expect(read("a", { port })).rejects.toMatchObject({ code: "provider_unreachable" });
      relay.close();
    });

    it("is broken off when the call is aborted", async () => {
      await admin.sendCommand(["CLIENT", "PAUSE", "3000", "ALL"]);
      const abort = new AbortController();
      const refused = expect(read("a", {}, abort.signal)).rejects.toThrow("enough");
      setTimeout(() => abort.abort(new Error("enough")), 200);
      await refused;
      await admin.sendCommand(["CLIENT", "UNPAUSE"]);
      await expect.poll(sessions).toBe(0);
      await expect(read("a", {}, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    });

    it("takes an address of redis:// or rediss://, which means TLS, without a user in it", async () => {
      const { tlsPort, port } = server;
      await expect(read("a", { host: `rediss://127.0.0.1:${tlsPort}` })).rejects.toThrow(
        "DEPTH_ZERO_SELF_SIGNED_CERT). Enter the certificate authority of the server in the credential.",
      );
      expect(await read("a", { host: `redis://127.0.0.1:${port}/0`, port: 1 })).toEqual([{ key: "a", exists: false }]);
      const usual = tls.getCACertificates("default");
      tls.setDefaultCACertificates([server.certificate]);
      try {
        expect(await read("a", { host: `rediss://localhost:${tlsPort}` })).toEqual([{ key: "a", exists: false }]);
      } finally {
        tls.setDefaultCACertificates(usual);
      }
      const { host } = redisCredential.variants[0]?.fields.shape ?? {};
      expect(host?.safeParse("rediss://ann:secret@cache.example.test:6380").success).toBe(false);
      expect(host?.safeParse("rediss://cache.example.test:6380").success).toBe(true);
    });

    it("trusts the authority that the account names, and no other then", async () => {
      const there = { host: "localhost", port: server.tlsPort, tls: true };
      expect(await read("a", { ...there, ca: server.certificate })).toEqual([{ key: "a", exists: false }]);
      await expect(read("a", { ...there, ca: createCertificate("other.test").cert })).rejects.toMatchObject({
        code: "provider_unreachable",
      });
    });

    it("checks the certificate when it uses TLS", async () => {
      const port = server.tlsPort;
      await expect(read("a", { port, tls: true })).rejects.toThrow("DEPTH_ZERO_SELF_SIGNED_CERT");
      const usual = tls.getCACertificates("default");
      tls.setDefaultCACertificates([server.certificate]);
      try {
        expect(await read("a", { port, tls: true, host: "localhost" })).toEqual([{ key: "a", exists: false }]);
        await expect(read("a", { port, tls: true })).rejects.toThrow("ERR_TLS_CERT_ALTNAME_INVALID");
      } finally {
        tls.setDefaultCACertificates(usual);
      }
    });

    it("is tried by the credential's check, at the address that was resolved for the name", async () => {
      const names: string[] = [];
      const resolveHost = async (host: string) => {
        names.push(host);
        return "127.0.0.1";
      };
      const check = async (more: Record<string, unknown>) =>
        await redisCredential.check?.({
          credential: credential(more),
          resolveHost,
          signal: AbortSignal.timeout(5000),
        } as never);
      await check({ host: "cache.example" });
      expect(names).toEqual(["cache.example"]);
      await expect(check({ password: "wrong" })).rejects.toMatchObject({ provider: { code: "WRONGPASS" } });
    });
  });
});
