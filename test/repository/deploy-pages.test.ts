import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import { readConfig } from "../../src/config.ts";

// What can be known of the files in deploy/, and of the pages about them, without a proxy, a container or a cluster.

const read = (name: string) => readFileSync(path.join("deploy", name), "utf8");
const image = `switchyard:${packageJson.version}`;
const ports = { platform: readConfig({}).platform.port, gateway: readConfig({}).gateway.port };
const scratch = mkdtempSync(path.join(tmpdir(), "switchyard-deploy-pages-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

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
    const lines = [...read(name).matchAll(/(?:server|proxy_pass http:\/\/) ?[\d.]+:(\d+)/g)].map(([, port]) =>
      Number(port),
    );
    expect(new Set(lines)).toEqual(new Set([ports.platform, ports.gateway]));
  });
});

describe("deploy/kubernetes-backup.yaml", () => {
  const [claim, job] = parseAllDocuments(read("kubernetes-backup.yaml")).map((document) => document.toJS());
  const { spec } = job.spec.jobTemplate.spec.template;
  const [container] = spec.containers;

  it("runs the backup of the same image with the same settings, unprivileged", () => {
    expect(container.image).toBe(image);
    expect(container.envFrom).toEqual([
      { configMapRef: { name: "switchyard" } },
      { secretRef: { name: "switchyard" } },
    ]);
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
    const volume = spec.volumes.find(({ name }: { name: string }) => name === "backups");
    expect(volume.persistentVolumeClaim.claimName).toBe(claim.metadata.name);
    expect(spec.volumes.map(({ name }: { name: string }) => name)).toEqual(
      container.volumeMounts.map(({ name }: { name: string }) => name),
    );
  });

  it("keeps what there is when a backup fails", () => {
    const folder = path.join(scratch, "backups");
    const run = (program: string) => {
      const script = container.args[0]
        .replaceAll("/backups", folder)
        .replace("node lib/main.js backup --file", program);
      return spawnSync("sh", ["-ec", script], { encoding: "utf8" }).status;
    };
    mkdirSync(folder);
    const old = path.join(folder, "switchyard-2020-01-01.backup");
    writeFileSync(old, "");
    utimesSync(old, 0, 0);
    expect([run("false"), existsSync(old)]).toEqual([1, true]);
    expect([run("touch"), existsSync(old)]).toEqual([0, false]);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^switchyard-[\dT-]+\.backup$/)]);
  });
});

describe("the pages about Kubernetes and Compose", () => {
  const commands = ["how-to/kubernetes.md", "how-to/update.md", "README.md", "deployment.md", "backup.md"].flatMap(
    (page) => readFileSync(path.join("docs", page), "utf8").split("\n"),
  );
  const namesAfter = (pattern: RegExp) =>
    commands.flatMap((line) => [...line.matchAll(pattern)].flatMap(([, names = ""]) => names.trim().split(" ")));
  const inFiles = (kind: string) =>
    ["kubernetes.yaml", "kubernetes-backup.yaml"]
      .flatMap((file) => parseAllDocuments(read(file)).map((document) => document.toJS()))
      .filter((document) => document.kind === kind)
      .map((document) => document.metadata.name);

  it("name deployments, jobs and services that the files have", () => {
    const deployments = [...namesAfter(/deployment\/([\w-]+)/g), ...namesAfter(/scale deployment ((?:[\w-]+ )+)/g)];
    expect(new Set(deployments)).toEqual(new Set(inFiles("Deployment")));
    expect(new Set(namesAfter(/cronjob\/([\w-]+)/g))).toEqual(new Set(inFiles("CronJob")));
    const services = Object.keys(parse(read("compose.yaml"), { merge: true }).services);
    for (const name of namesAfter(/docker compose exec (?:-T )?([\w-]+)/g)) expect(services).toContain(name);
  });

  it("say the version that the files have, and never another", () => {
    const versions = commands.flatMap((line) => line.match(/\bswitchyard:(\d+\.\d+\.\d+)/g) ?? []);
    expect(versions).toContain(image);
    expect(versions.filter((one) => one !== image && one !== "switchyard:0.2.0")).toEqual([]);
  });
});
