import { describe, expect, it } from "vitest";
import { createAddressRules } from "./address-rules.ts";
import { createResolveHost } from "./resolve-host.ts";

const names: Record<string, string[]> = {
  "public.example": ["93.184.216.34", "93.184.216.35"],
  "inside.example": ["10.0.0.5"],
  "mixed.example": ["93.184.216.34", "127.0.0.1"],
  "nothing.example": [],
};
const lookup = async (name: string) => {
  const addresses = names[name];
  if (!addresses) throw Object.assign(new Error("secret details"), { code: "ENOTFOUND" });
  return addresses.map((address) => ({ address, family: 4 }));
};
const resolve = (allowedCidrs: string[] = []) =>
  createResolveHost({ addressRules: createAddressRules({ allowedCidrs }), lookup });

describe("resolving a host", () => {
  it("gives one public address", async () => {
    expect(await resolve()("public.example")).toBe("93.184.216.34");
    expect(await resolve()("93.184.216.34")).toBe("93.184.216.34");
  });

  it.each([
    "inside.example",
    "mixed.example",
    "nothing.example",
    "127.0.0.1",
    "[::1]",
    "::ffff:10.0.0.1",
    "169.254.169.254",
  ])("refuses %s", async (host) => {
    await expect(resolve()(host)).rejects.toMatchObject({ code: "outbound_refused" });
  });

  it("gives what the operator allowed", async () => {
    expect(await resolve(["10.0.0.0/8"])("inside.example")).toBe("10.0.0.5");
    expect(await resolve(["::1/128"])("[::1]")).toBe("::1");
  });

  it("says that a name is unknown, and no more", async () => {
    await expect(resolve()("unknown.example")).rejects.toMatchObject({
      code: "provider_unreachable",
      message: "unknown.example could not be reached (ENOTFOUND).",
    });
  });
});
