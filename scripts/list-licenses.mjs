import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

// What lets a product under Apache-2.0 be passed on with them. MPL-2.0 asks for the source of its own files only, which stay as they are.
const allowed = new Set([
  ...[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "0BSD",
    "BlueOak-1.0.0",
    "PostgreSQL",
    "MPL-2.0",
  ],
  ...["CC0-1.0", "Python-2.0", "Unlicense"],
]);

/** Prints every package that is passed on with the product and its licence; fails when one of them may not be. */
export function listLicenses(root) {
  // Without lib/ there is no package to pass on; `npm run licenses` makes it first.
  const files = ["dist/web/licenses.md", "lib/licenses.md"].map((file) => path.join(root, file));
  const bundles = files.filter((file, index) => index === 0 || existsSync(file)).flatMap(listBundled);
  const packages = [
    ...new Map([...listInstalled(root), ...bundles].map((one) => [`${one.name} ${one.version}`, one])).values(),
  ];
  for (const { name, version, license } of packages) process.stdout.write(`${name} ${version} ${license}\n`);
  const refused = packages.filter(({ license }) => !isAllowed(license));
  for (const { name, version, license } of refused)
    process.stderr.write(
      `${name} ${version}: the licence ${license} is not among those that are allowed (scripts/list-licenses.mjs)\n`,
    );
  if (refused.length > 0) process.exitCode = 1;
}

/** The packages that run with the server, in the order of the lockfile. Those of other machines are not installed: the lockfile knows them. */
function listInstalled(root) {
  const { packages } = readJson(path.join(root, "package-lock.json"));
  return Object.entries(packages)
    .filter(([place, { dev, devOptional, link }]) => place.includes("node_modules/") && !dev && !devOptional && !link)
    .map(([place, entry]) => {
      const file = path.join(root, place, "package.json");
      const { version, license } = existsSync(file) ? readJson(file) : entry;
      return { name: place.replace(/^.*node_modules\//, ""), version, license: license?.type ?? license ?? "(none)" };
    });
}

/** The packages that are part of the web UI or of the server in the package, as their builds wrote them down. */
function listBundled(file) {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)].map(([, name, version, license]) => ({
    name,
    version,
    license,
  }));
}

/** Of `A OR B` one is enough, of `A AND B` both are needed. */
function isAllowed(expression) {
  const choices = expression.replaceAll(/[()]/g, "").split(" OR ");
  return choices.some((choice) => choice.split(" AND ").every((license) => allowed.has(license)));
}

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
