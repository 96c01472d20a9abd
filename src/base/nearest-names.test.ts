import { describe, expect, it } from "vitest";
import { describeUnknownName, nearestNames } from "./nearest-names.ts";

const known = [
  "slack_send_message",
  "slack_list_channels",
  "github_create_issue",
  "github_create_issue_comment",
  "system_wait",
];

describe("the nearest names", () => {
  it.each([
    ["slack_send_mesage", ["slack_send_message"]],
    ["Slack-Send-Message", ["slack_send_message"]],
    ["slackSendMessage", ["slack_send_message"]],
    ["create_issue_github", ["github_create_issue", "github_create_issue_comment"]],
    ["send_slack_message", ["slack_send_message"]],
    ["wait", ["system_wait"]],
    ["", []],
    ["jira", []],
    ["x".repeat(100_000), []],
  ])("to %j", (meant, nearest) => {
    expect(nearestNames(meant, known)).toEqual(nearest);
  });

  it("are told with the name itself, which is escaped and cut short", () => {
    expect(describeUnknownName("sytem_wait\u001b\n", known)).toBe('"sytem_wait\\u001b\\n"; did you mean system_wait?');
    expect(describeUnknownName("y".repeat(101), known)).toBe(`"${"y".repeat(100)}…"`);
  });
});
