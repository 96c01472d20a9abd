import type { Page } from "playwright-core";
import type { Seeded } from "./seed-organization.ts";

/** `ready` is text that is only there when the page has everything it shows. */
export type Picture = {
  name: string;
  path: string;
  ready: string | RegExp;
  isNarrowToo?: true;
  prepare?: (page: Page) => Promise<unknown>;
};

/** The pages of people who are not signed in. */
export const strangersPicturesOf = ({ invitationUrl }: Pick<Seeded, "invitationUrl">): Picture[] => [
  { name: "sign-in", path: "/sign-in", ready: "Forgot" },
  { name: "forgot-password", path: "/forgot-password", ready: "Send the link" },
  { name: "reset-password", path: "/reset-password?token=example", ready: "Change password" },
  { name: "invitation", path: invitationUrl, ready: "Create account and join" },
];

/** Every page of the web UI, in the order of the menu. */
export function picturesOf(
  seeded: Seeded,
  { consentUrl, recordId }: { consentUrl: string; recordId: string },
): Picture[] {
  const { organizationId, credentials, workflows, runs, endpointId } = seeded;
  const o = `/o/${organizationId}`;
  return [
    { name: "home", path: o, ready: /Northwind/, isNarrowToo: true },
    { name: "workflows", path: `${o}/workflows`, ready: "Weekly issue report" },
    { name: "workflow", path: `${o}/workflows/${workflows.report}`, ready: "Find open bugs", prepare: fit },
    { name: "workflow-node", path: `${o}/workflows/${workflows.report}?node=issues`, ready: "Find open bugs" },
    { name: "workflow-call", path: `${o}/workflows/${workflows.report}?panel=call`, ready: "Find open bugs" },
    { name: "triggers", path: `${o}/triggers`, ready: "Mondays at nine" },
    { name: "credentials", path: `${o}/credentials`, ready: "GitHub of the team" },
    { name: "credential", path: `${o}/credentials?credential=${credentials.github.id}`, ready: "Weekly issue report" },
    { name: "credential-new", path: `${o}/credentials?create=any`, ready: "Airtable" },
    { name: "history-runs", path: `${o}/history`, ready: "Weekly issue report", isNarrowToo: true },
    { name: "history-tools", path: `${o}/history?tab=tools`, ready: /slack_send_message|Send message/ },
    { name: "history-record", path: `${o}/history?tab=tools&record=${recordId}`, ready: "C0RANDOM" },
    { name: "run", path: `${o}/runs/${runs.succeeded}`, ready: "Find open bugs" },
    { name: "run-timeline", path: `${o}/runs/${runs.succeeded}?view=timeline`, ready: "Find open bugs" },
    { name: "run-failed", path: `${o}/runs/${runs.failed}`, ready: "Open the shop", prepare: fit },
    { name: "servers", path: `${o}/servers`, ready: "GitHub" },
    { name: "server", path: `${o}/servers/github`, ready: "Search issues" },
    { name: "api-keys", path: `${o}/api-keys`, ready: "Shop backend" },
    { name: "connections", path: `${o}/connections`, ready: "Claude Code" },
    {
      name: "doctor",
      path: `${o}/doctor?server=github`,
      ready: "An application can connect.",
      prepare: (page) => page.getByRole("button", { name: "Check", exact: true }).click(),
    },
    { name: "consent", path: consentUrl, ready: "Signed in as Ann Miller" },
    {
      name: "organization-usage",
      path: `${o}/organization`,
      ready: "github_search_issues",
      prepare: (page) => page.getByRole("heading", { name: "Tools", exact: true }).scrollIntoViewIfNeeded(),
    },
    { name: "organization-settings", path: `${o}/organization?tab=settings`, ready: "Rename" },
    { name: "organization-variables", path: `${o}/organization?tab=variables`, ready: "No variables yet" },
    { name: "organization-events", path: `${o}/organization?tab=events&endpoint=${endpointId}`, ready: "What is sent" },
    { name: "members", path: `${o}/members`, ready: "ann@northwind.example" },
    { name: "new-organization", path: "/new-organization", ready: "You become its owner." },
    { name: "account", path: "/account", ready: "Ann Miller" },
    // Last, because its calls would be seen in the others.
    {
      name: "organization",
      path: `${o}/organization`,
      ready: "3 of 5 slots in use",
      prepare: once((page) => page.evaluate(keepBusy(organizationId))),
    },
  ];
}

/** Shows the whole canvas. */
const fit = (page: Page) => page.getByRole("button", { name: "Fit everything" }).click();

function once(prepare: (page: Page) => Promise<unknown>): (page: Page) => Promise<unknown> {
  let first: Promise<unknown> | undefined;
  return (page) => (first ??= prepare(page));
}

/** Three calls that take a moment, for the gauge. */
const keepBusy = (organizationId: string) => `
  for (let call = 0; call < 3; call++)
    void fetch("/api/organizations/${organizationId}/tools/system_wait/call", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ parameters: { seconds: 15 } }),
    });`;
