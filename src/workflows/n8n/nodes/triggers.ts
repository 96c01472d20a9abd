import type { Mapper } from "../mapped.ts";
import { listOf, textOf, valueAt } from "../reader.ts";

/** What arrives at a webhook, as n8n gives it to the first node. */
const delivery = '{ "headers": $trigger.headers, "query": $trigger.query, "body": $trigger.payload }';

const webhook: Mapper = (read) => {
  const [method, path] = [read.raw("httpMethod") ?? "GET", read.raw("path") ?? ""];
  for (const name of ["options", "responseData"]) read.raw(name);
  const waits = read.raw("responseMode") === "responseNode" ? " Let it wait for the answer of the workflow." : "";
  return {
    to: "transform",
    parameters: { expression: delivery },
    trigger: `Add a webhook. In n8n it took ${textOf(method)} /${textOf(path)}; its address here is a new one.${waits}`,
  };
};

/** In the editor runs begin by hand, whatever else starts them. */
const manual: Mapper = () => ({ to: "start", parameters: {} });

const called: Mapper = (read) => {
  for (const name of ["inputSource", "workflowInputs", "jsonExample"]) read.raw(name);
  return { to: "start", parameters: {} };
};

const schedule: Mapper = (read) => {
  const rules = [...listOf(read.raw("rule.interval")), ...listOf(read.raw("triggerTimes.item"))];
  const times = rules.map(describeRule).join("; ");
  return { to: "start", parameters: {}, trigger: `Add a schedule: ${times || "every day at 00:00"}.` };
};

const interval: Mapper = (read) => ({
  to: "start",
  parameters: {},
  trigger: `Add a schedule: every ${textOf(read.raw("interval"), "1")} ${textOf(read.raw("unit"), "seconds")}.`,
});

const pad = (value: unknown): string => textOf(value, "0").slice(0, 10).padStart(2, "0");

/** In words, because a person adds it. */
function describeRule(rule: unknown): string {
  const cron = valueAt(rule, "expression") ?? valueAt(rule, "cronExpression");
  if (typeof cron === "string") return `cron ${cron}`;
  const field = textOf(valueAt(rule, "field") ?? valueAt(rule, "mode"), "days");
  const unit = field
    .replace(/^every/, "")
    .toLowerCase()
    .replace(/s$/, "");
  const every = valueAt(rule, `${field}Interval`) ?? valueAt(rule, "value") ?? 1;
  const hour = valueAt(rule, "triggerAtHour") ?? valueAt(rule, "hour");
  const minute = valueAt(rule, "triggerAtMinute") ?? valueAt(rule, "minute");
  const at = ["day", "week", "month"].includes(unit) ? ` at ${pad(hour)}:${pad(minute)}` : "";
  return `every ${every === 1 ? unit : `${textOf(every)} ${unit}s`}${at}`;
}

/** What starts a run here in the place of a trigger of a service. */
const services: Record<string, string> = {
  gmailTrigger: "Add a trigger that looks for new mail in Gmail",
  githubTrigger: "Add a webhook of GitHub",
  slackTrigger: "Add a webhook of Slack",
  stripeTrigger: "Add a webhook of Stripe",
  telegramTrigger: "Add a webhook of Telegram",
  whatsAppTrigger: "Add a webhook of WhatsApp",
  googleSheetsTrigger: "Add a trigger that looks for new rows in Google Sheets",
  googleCalendarTrigger: "Add a trigger that looks for new events in Google Calendar",
  notionTrigger: "Add a trigger that looks for new pages in Notion",
  airtableTrigger: "Add a trigger that looks for new records in Airtable",
  hubspotTrigger: "Add a trigger that looks for new contacts in HubSpot",
  jiraTrigger: "Add a trigger that looks for new issues in Jira",
  linearTrigger: "Add a trigger that looks for new issues in Linear",
  postgresTrigger: "Add a trigger that looks for new rows in PostgreSQL",
  microsoftOutlookTrigger: "Add a trigger that looks for new mail in Outlook",
  emailReadImap: "Add a trigger that looks for new mail in a mailbox",
  rssFeedReadTrigger: "Add a trigger that looks for new entries of a feed",
};

const ofService =
  (words: string): Mapper =>
  (read) => {
    read.remark("What the service sends may have other fields than in n8n.");
    return { to: "start", parameters: {}, trigger: `${words}.` };
  };

export const triggerNodes: Record<string, Mapper> = {
  webhook,
  manualTrigger: manual,
  start: manual,
  executeWorkflowTrigger: called,
  scheduleTrigger: schedule,
  cron: schedule,
  interval,
  ...Object.fromEntries(Object.entries(services).map(([type, words]) => [type, ofService(words)])),
};
