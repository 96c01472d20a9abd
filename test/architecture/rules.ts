// The law for import directions: a folder of src/ may import itself and what stands here. A wire.ts is open to all but the folders below.
const features = [
  "identity",
  "vault",
  "execution",
  "workflows",
  "runs",
  "triggers",
  "events",
  "calls",
  "history",
  "plans",
  "oauth",
  "doctor",
  "usage",
  "catalog",
];
const ground = ["storage", "base"];
const belowRuns = ["workflows", "expressions", "identity", "vault", "execution", "history", "catalog", "contract", "door", ...ground];

export const mayImport: Record<string, readonly string[]> = {
  gateway: [...features, "contract", "door", ...ground],
  platform: [...features, "contract", "door", ...ground],
  runs: belowRuns,
  triggers: ["runs", ...belowRuns],
  events: belowRuns,
  workflows: ["expressions", "identity", "vault", "execution", "catalog", "contract", "door", ...ground],
  oauth: ["identity", "vault", "execution", "history", "catalog", "contract", "door", ...ground],
  calls: ["execution", "history", "catalog", "door", "base"],
  doctor: ["oauth", "door", "base"],
  usage: ["history", "runs", "door", "base"],
  plans: ground,
  execution: ["vault", "catalog", "contract", "expressions", ...ground],
  vault: ["contract", "door", ...ground],
  identity: ["contract", "door", ...ground],
  history: ["contract", "door", ...ground],
  catalog: ["contract", "door", "base"],
  providers: ["contract", "base"],
  expressions: ["base"],
  door: ["base"],
  contract: ["base"],
  storage: ["base"],
  base: [],
};

/** Beside wire files, what the web UI may share with the server: functions of texts that need nothing else. */
export const sharedWithWeb = ["src/base/split-scopes.ts"];

export const withoutWire = ["providers", "contract", "storage", "base"];

/** Files of the start-up part; they put everything together and may import anything. */
export const startUpFiles = ["src/main.ts", "src/cli.ts", "src/app.ts", "src/parts.ts", "src/running.ts"];
export const startUpFolder = "src/commands/";

/** Package imports of files that have to stay nearly free of dependencies. */
export const onlyPackage: Record<string, string> = { contract: "zod", wire: "zod" };

export const forbiddenNameParts = ["utils", "util", "helpers", "helper", "common", "manager", "service"];
