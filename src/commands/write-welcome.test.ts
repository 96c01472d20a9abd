import { describe, expect, it } from "vitest";
import { readConfig } from "../config.ts";
import { writeWelcome } from "./write-welcome.ts";

const started = {
  roles: ["platform", "gateway", "worker"],
  config: readConfig({ SWITCHYARD_DATA_DIR: "/srv/yard", PLATFORM_API_PORT: "3456" }),
  databaseFolder: "/srv/yard/postgres",
  firstAccountNeeded: true,
  setupToken: "token",
};

describe("what a process says when it is ready", () => {
  it("names the folder of the data, or those of the database and of the keys where they differ", () => {
    expect(writeWelcome(started)).toMatch(/^ {2}Data +\/srv\/yard$/m);
    const apart = writeWelcome({ ...started, databaseFolder: "/var/lib/switchyard/1a2b3c4d/postgres" });
    expect(apart).toMatch(/^ {2}Database +\/var\/lib\/switchyard\/1a2b3c4d\/postgres$/m);
    expect(apart).toMatch(/^ {2}Keys +\/srv\/yard$/m);
    expect(apart).not.toMatch(/^ {2}Data /m);
    const elsewhere = writeWelcome({ ...started, databaseFolder: undefined });
    expect(elsewhere).toMatch(/^ {2}Data +the PostgreSQL of DATABASE_URL$/m);
    expect(elsewhere).toMatch(/^ {2}Keys +\/srv\/yard$/m);
  });

  it("names the keys of the environment where they are used, and the folder as long as one key lies in it", () => {
    const key = Buffer.alloc(32, 1).toString("base64");
    const withKeys = (keys: NodeJS.ProcessEnv) =>
      writeWelcome({
        ...started,
        databaseFolder: undefined,
        config: readConfig({ SWITCHYARD_DATA_DIR: "/srv/yard", ...keys }),
      });
    expect(withKeys({ SWITCHYARD_MASTER_KEY: key })).toMatch(
      /^ {2}Keys +SWITCHYARD_MASTER_KEY, \/srv\/yard\/cookie\.key$/m,
    );
    expect(withKeys({ SWITCHYARD_COOKIE_KEY: key })).toMatch(
      /^ {2}Keys +\/srv\/yard\/master\.key, SWITCHYARD_COOKIE_KEY$/m,
    );
    const both = withKeys({ SWITCHYARD_MASTER_KEY: key, SWITCHYARD_COOKIE_KEY: key });
    expect(both).toMatch(/^ {2}Keys +SWITCHYARD_MASTER_KEY, SWITCHYARD_COOKIE_KEY$/m);
    expect(both).not.toContain("/srv/yard");
    expect(both).not.toContain(key);
  });

  it("offers the page for the first account where there are pages, and nowhere else", () => {
    expect(writeWelcome(started)).toContain("Open http://localhost:3456/setup to create the first one,");
    const worker = writeWelcome({ ...started, roles: ["gateway", "worker"] });
    expect(worker).toContain(
      "There is no account yet. Create the first one on the pages of a process with the role platform,",
    );
    expect(worker).not.toMatch(/\/setup to|3456|token/);
    expect(worker).toMatch(/^or run: .* setup --email /m);
  });
});
