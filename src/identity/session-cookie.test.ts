import { createHmac, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSessionCookie } from "./session-cookie.ts";

const cookieKey = randomBytes(32);
const { read, write, writeEmpty } = createSessionCookie({ baseUrl: "http://localhost:3000", cookieKey });
const token = "a1B2".repeat(8);
const sign = (text: string, key = cookieKey) =>
  createHmac("sha256", key.toString("base64")).update(text).digest("base64");
const cookie = (text = token, signature = sign(token)) =>
  `switchyard_session=${encodeURIComponent(`${text}.${signature}`)}`;

describe("the token in the cookie of a session", () => {
  it("is written so that it can be read, by this server alone and for a week", () => {
    expect(write(token)).toBe(`${cookie()}; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax`);
    expect(read(write(token).split(";", 1)[0])).toBe(token);
    expect(read(writeEmpty().split(";", 1)[0])).toBeUndefined();
  });

  it("is read between other cookies", () => {
    expect(read(cookie())).toBe(token);
    expect(read(`theme=dark; ${cookie()};other=1`)).toBe(token);
  });

  it.each<[string, string | undefined]>([
    ["no cookie", undefined],
    ["another cookie", cookie().replace("switchyard", "switchyard_old")],
    ["no signature", `switchyard_session=${token}`],
    ["the signature of another token", cookie("b".repeat(32))],
    ["the signature of another key", cookie(token, sign(token, randomBytes(32)))],
    ["an empty signature", cookie(token, "")],
    ["half of an escape", "switchyard_session=%E0%A4%A"],
    ["two of them", `${cookie()}; ${cookie()}`],
    ["the cookie of a server with https", `__Host-${cookie()}`],
  ])("is not believed with %s", (_, given) => {
    expect(read(given)).toBeUndefined();
  });

  it("has another name where the server is reached over https", () => {
    const secure = createSessionCookie({ baseUrl: "https://yard.test", cookieKey });
    expect(secure.read(`__Host-${cookie()}`)).toBe(token);
    expect(secure.write(token)).toBe(`__Host-${cookie()}; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax; Secure`);
    expect(secure.writeEmpty()).toBe("__Host-switchyard_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure");
  });
});
