import { describe, expect, it } from "vitest";
import { describeTemplate, listServices, searchTemplates } from "./describe-template.ts";
import { templates } from "./templates.ts";

const service = (id: string, title: string) => ({
  provider: { id, title },
  credentials: [id],
  worksWithoutAccount: id === "http" || id === "system",
});
const kinds = new Map([
  ["slack_send_message", service("slack", "Slack")],
  ["hubspot_search_contacts", service("hubspot", "HubSpot")],
  ["hubspot_create_contact", service("hubspot", "HubSpot")],
  ["http_request", service("http", "HTTP")],
  ["system_date_time", service("system", "System")],
]);
const described = templates.map((template) => describeTemplate(template, kinds));
const ids = (search: string, chosen = "") =>
  searchTemplates(described, { search, service: chosen }).map(({ id }) => id);

describe("templates", () => {
  it("begin with the one that needs nothing, and say what the others need", () => {
    const [first] = described;
    expect(first).toMatchObject({ id: "first-run", services: [], accounts: [], needsModel: false });
    expect(described.find(({ id }) => id === "lead-to-crm")).toMatchObject({
      services: [
        { id: "hubspot", title: "HubSpot" },
        { id: "slack", title: "Slack" },
      ],
      accounts: ["hubspot", "slack"],
    });
    expect(described.find(({ id }) => id === "web-page-summary")).toMatchObject({ accounts: [], needsModel: true });
  });

  it("are found by words of their texts, by other words, by service and by all of that together", () => {
    expect(ids("crm")).toContain("lead-to-crm");
    expect(ids("DUNNING invoice")).toEqual(["invoice-reminder"]);
    expect(ids("hubspot", "slack")).toEqual(["lead-to-crm"]);
    expect(ids("", "hubspot")).toEqual(expect.arrayContaining(["lead-to-crm", "customer-lookup"]));
    expect(ids("no such words")).toEqual([]);
    expect(ids("")).toHaveLength(templates.length);
  });

  it("offer each service once, by name", () => {
    expect(listServices(described).map(({ title }) => title)).toEqual(["HTTP", "HubSpot", "Slack"]);
  });
});
