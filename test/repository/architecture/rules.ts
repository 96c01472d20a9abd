// The law for import directions: a folder of src/ may import itself and what stands here, and uses each of them. A wire.ts is open to all but
// the folders below.
const ground = ["storage", "base"];

export const mayImport: Record<string, readonly string[]> = {
  gateway: [
    ...[
      "triggers",
      "runs",
      "oauth",
      "workflows",
      "calls",
      "history",
      "records",
      "slots",
      "vault",
      "identity",
      "plans",
      "catalog",
    ],
    ...["ground", "contract", "door", ...ground],
  ],
  platform: ["identity", "door", ...ground],
  triggers: [
    "ground",
    "runs",
    "deliveries",
    "workflows",
    "calls",
    "records",
    "expressions",
    "vault",
    "catalog",
    "contract",
    "door",
    ...ground,
  ],
  deliveries: ["ground", "records", ...ground],
  events: ["ground", "records", "vault", "contract", "door", ...ground],
  doctor: ["ground", "oauth", "vault", "door", "base"],
  usage: ["ground", "history", "runs", "base"],
  runs: ["ground", "workflows", "calls", "records", "slots", "vault", "catalog", "contract", "door", ...ground],
  oauth: ["ground", "identity", "vault", "catalog", "door", ...ground],
  workflows: ["ground", "expressions", "vault", "catalog", "contract", "door", ...ground],
  calls: ["ground", "history", "records", "slots", "vault", "catalog", "contract", "expressions", "door", "base"],
  history: ["ground", "records", "door", ...ground],
  records: ground,
  slots: ["ground", ...ground],
  vault: ["ground", "contract", "door", ...ground],
  identity: ["ground", "door", ...ground],
  plans: ["ground", ...ground],
  catalog: ["ground", "contract", "base"],
  providers: ["contract", "base"],
  expressions: ["base"],
  door: ["base"],
  contract: ["base"],
  ground: ["door", ...ground],
  storage: ["base"],
  base: [],
};

/** Beside wire files, what the web UI may share with the server: functions of texts and data that need nothing else. */
export const sharedWithWeb = [
  "src/base/split-scopes.ts",
  "src/base/match-rule.ts",
  "src/workflows/conditions/operators.ts",
  "src/workflows/conditions/holds.ts",
  "src/workflows/conditions/write-expression.ts",
  "src/workflows/conditions/read-expression.ts",
];

export const withoutWire = ["providers", "contract", "storage", "base"];

/** Files of the start-up part; they put everything together and may import anything. */
export const startUpFiles = ["src/main.ts", "src/cli.ts", "src/app.ts"];
/** Settings and version: features take them from the ground. */
export const onlyForGround = ["src/config.ts", "package.json"];
export const startUpFolders = ["src/commands/", "src/start-up/"];

/** Package imports of files that have to stay nearly free of dependencies. */
export const onlyPackage: Record<string, string> = { contract: "zod", wire: "zod" };

export const forbiddenNameParts = ["utils", "util", "helpers", "helper", "common", "manager", "service"];
