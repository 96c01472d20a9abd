type References = { github: string; slack: string; notion: string; shop: string; servicesUrl: string };

const at = (column: number, row: number) => ({ position: { x: column * 290, y: row * 150 } });

/** A canvas with branches, a model and three services. */
export function issueReport(references: References) {
  return {
    name: "Weekly issue report",
    description: "Sorts the open bugs by team, comments on the urgent ones, and posts a summary.",
    canvas: {
      nodes: [...triageNodes(references), ...reportNodes(references)],
      edges: edges(
        "issues>urgent urgent.true>comment issues>area area.payments>payments area.search>search area.otherwise>others",
        "payments>together search>together others>together together>summary summary>post summary>page",
      ),
    },
  };
}

/** Finds the bugs and asks for owners of the urgent ones. */
const triageNodes = ({ github }: References) => [
  {
    id: "issues",
    nodeId: "github_search_issues",
    name: "Find open bugs",
    credentials: { github },
    ...at(0, 1.5),
    parameters: { query: "repo:northwind/shop is:open label:bug", sort: "updated", limit: 50 },
  },
  {
    id: "urgent",
    nodeId: "condition",
    name: "Urgent?",
    ...at(1, 0),
    parameters: { condition: '"urgent" in $input.labels' },
  },
  {
    id: "comment",
    nodeId: "github_create_issue_comment",
    name: "Ask for an owner",
    credentials: { github },
    ...at(2, 0),
    parameters: { owner: "northwind", repo: "shop", issueNumber: "{{ $input.number }}", body: "Who takes this today?" },
    settings: { retries: 2, retryDelay: 1000 },
  },
  {
    id: "area",
    nodeId: "switch",
    name: "Which team?",
    ...at(1, 2),
    parameters: {
      rules: [
        { way: "payments", condition: '"payments" in $input.labels' },
        { way: "search", condition: '"search" in $input.labels' },
      ],
    },
  },
];

/** Puts them together by team and tells everybody. */
const reportNodes = ({ slack, notion }: References) => [
  { id: "payments", nodeId: "set_fields", name: "Payments", parameters: { fields: { team: "Payments" } }, ...at(2, 1) },
  { id: "search", nodeId: "set_fields", name: "Search", parameters: { fields: { team: "Search" } }, ...at(2, 2) },
  { id: "others", nodeId: "set_fields", name: "Everybody else", parameters: { fields: { team: "Web" } }, ...at(2, 3) },
  { id: "together", nodeId: "merge", name: "All of them", parameters: { mode: "append" }, ...at(3, 2) },
  {
    id: "summary",
    nodeId: "ai_answer",
    name: "Write a summary",
    ...at(4, 2),
    parameters: {
      system: "Two sentences, calm.",
      prompt: 'Summarize these bugs:\n{{ $join($nodes.together.items.(team & ": " & title), "\\n") }}',
    },
  },
  {
    id: "post",
    nodeId: "slack_send_message",
    name: "Post to #engineering",
    credentials: { slack },
    ...at(5, 1.5),
    parameters: { channel: "C0ENGINEERING", text: "{{ $nodes.summary.first.text }}" },
  },
  {
    id: "page",
    nodeId: "notion_create_page",
    name: "Keep the report",
    credentials: { notion },
    ...at(5, 2.5),
    parameters: { parentPageId: "2f1c", title: "Bugs of the week", markdown: "{{ $nodes.summary.first.text }}" },
  },
];

export function shopCheck({ slack, shop, servicesUrl }: References) {
  return {
    name: "Check the shop",
    description: "Looks whether the shop answers, and tells the team when it does not.",
    canvas: {
      nodes: [
        {
          id: "ask",
          nodeId: "http_request",
          name: "Open the shop",
          credentials: { http_auth: shop },
          ...at(0, 0),
          parameters: { url: `${servicesUrl}/shop` },
        },
        {
          id: "open",
          nodeId: "condition",
          name: "Is it open?",
          parameters: { condition: "$input.status = 200" },
          ...at(1, 0),
        },
        {
          id: "tell",
          nodeId: "slack_send_message",
          name: "Tell the team",
          credentials: { slack },
          ...at(2, 0),
          parameters: { channel: "C0RANDOM", text: "The shop answers with {{ $nodes.ask.first.status }}" },
        },
      ],
      edges: edges("ask>open open.false>tell"),
    },
  };
}

export function invoiceReminder({ slack }: References) {
  return {
    name: "Remind about invoices",
    description: "Waits a day, then reminds whoever asked.",
    canvas: {
      nodes: [
        { id: "pause", nodeId: "wait", name: "A day", parameters: { milliseconds: 86_400_000 }, ...at(0, 0) },
        {
          id: "remind",
          nodeId: "slack_send_message",
          name: "Remind",
          credentials: { slack },
          ...at(1, 0),
          parameters: { channel: "C0ENGINEERING", text: "Time for the invoices: {{ $trigger.prompt }}" },
        },
      ],
      edges: edges("pause>remind"),
    },
  };
}

/** `a>b`, or `a.true>b` for one of several ways out of a node. */
const edges = (...texts: string[]) =>
  texts
    .join(" ")
    .split(" ")
    .map((line) => {
      const [from = "", target = ""] = line.split(">");
      const [source = "", sourceHandle] = from.split(".");
      return {
        id: `${source}-${sourceHandle ?? "out"}-${target}`,
        source,
        target,
        ...(sourceHandle ? { sourceHandle } : {}),
      };
    });
