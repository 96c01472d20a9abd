import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../src/config.ts";

// What can be known of the files in deploy/, and of the pages about them, without a proxy, a container or a cluster.

const read = (name: string) => readFileSync(path.join("deploy", name), "utf8");
const ports = { platform: readConfig({}).platform.port, gateway: readConfig({}).gateway.port };

describe.each(["nginx.conf", "nginx-one-machine.conf"])("deploy/%s", (name) => {
  it("changes no other site of the same nginx", () => {
    // What stands beside the blocks counts for every server of the machine.
    const outside = read(name)
      .replaceAll(/^\s*#.*$/gm, "")
      .replaceAll(/^(server|upstream \w+) \{$[\s\S]*?^\}$/gm, "");
    expect(outside.trim()).toBe("");
    expect(read(name).match(/include snippets\/switchyard\.conf;/g)).toHaveLength(2);
  });

  it("leads to the ports that the doors have", () => {
    const lines = [...read(name).matchAll(/(?:server|proxy_pass http:\/\/) ?[\d.]+:(\d+)/g)].map(([, port]) => Number(port));
    expect(new Set(lines)).toEqual(new Set([ports.platform, ports.gateway]));
  });
});
