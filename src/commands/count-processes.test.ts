import { describe, expect, it } from "vitest";
import { readConfig } from "../config.ts";
import { countConnections, countProcesses, fitProcesses } from "./count-processes.ts";

const external = { DATABASE_URL: "postgres://localhost/switchyard" };
const count = (environment: Record<string, string>, cores: number, choosesRoles = false) =>
  countProcesses(readConfig(environment), { cores, choosesRoles });

describe("as many processes as help", () => {
  it("is one on one and two cores, and where somebody chose the roles", () => {
    expect([count({}, 1), count({}, 2), count(external, 2), count({}, 16, true)]).toEqual([1, 1, 1, 1]);
  });

  it("leaves cores to a database on the same machine, and has an end", () => {
    expect([3, 4, 8, 16, 64].map((cores) => count({}, cores))).toEqual([2, 3, 5, 11, 12]);
    expect([3, 4, 8, 16, 64].map((cores) => count(external, cores))).toEqual([3, 4, 8, 12, 12]);
  });

  it("is what PROCESSES says, whatever the machine has", () => {
    expect([count({ PROCESSES: "1" }, 16), count({ PROCESSES: "3" }, 1), count({ PROCESSES: "2" }, 8, true)]).toEqual([
      1, 3, 2,
    ]);
  });
});

describe("the connections of several processes", () => {
  it("are those of one more, because one is replaced before it ends", () => {
    expect(countConnections(readConfig({}), 2)).toBe(3 * 21 + 8);
    expect(countConnections(readConfig({ ...external, DATABASE_POOL_SIZE: "20" }), 2)).toBe(3 * 31 + 8);
  });

  it("are few behind a pooler", () => {
    const pooled = readConfig({ ...external, DATABASE_POOLER_URL: "postgres://localhost:6432/switchyard" });
    expect(countConnections(pooled, 8)).toBe(9 * 5 + 8);
  });

  it("limit how many processes there are, but never to none", () => {
    const atMost = (connections: number) => fitProcesses(readConfig(external), { wanted: 8, connections });
    expect([atMost(1000), atMost(97), atMost(71), atMost(70), atMost(10)]).toEqual([8, 3, 2, 1, 1]);
  });
});
