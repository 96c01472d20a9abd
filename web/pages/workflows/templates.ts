import type { WorkflowFile } from "../../../src/workflows/file-wire.ts";
import checkAddress from "./templates/check-address.json";
import firstRun from "./templates/first-run.json";
import githubIssueToLinear from "./templates/github-issue-to-linear.json";
import webPageSummary from "./templates/web-page-summary.json";
import webhookToSlack from "./templates/webhook-to-slack.json";

export type Template = { id: string; needs: string; file: WorkflowFile };

const asFile = (file: object) => file as WorkflowFile;

/** Workflows to begin with. The first one needs nothing. */
export const templates: readonly Template[] = [
  { id: "first-run", needs: "Runs as it is, without an account", file: asFile(firstRun) },
  { id: "web-page-summary", needs: "Needs an HTTP account and a language model", file: asFile(webPageSummary) },
  { id: "webhook-to-slack", needs: "Needs a Slack account", file: asFile(webhookToSlack) },
  { id: "github-issue-to-linear", needs: "Needs GitHub and Linear accounts", file: asFile(githubIssueToLinear) },
  { id: "check-address", needs: "Needs HTTP and email accounts", file: asFile(checkAddress) },
];
