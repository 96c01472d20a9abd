import type { Ask } from "./ask.ts";
import { type DescribeAccount, examineAccount } from "./examine-account.ts";
import { examineConsent, examineRegistration, examineToken } from "./examine-authorization.ts";
import { type Endpoints, examineIssuer, examineResource } from "./examine-documents.ts";
import { type Approve, examineExchange } from "./examine-exchange.ts";
import { examineBearer, examineChallenge, examineCors, examineReach, examineTools } from "./examine-server.ts";
import type { Finding } from "./finding.ts";
import { type Report, type Step, type StepId, stepIds } from "./wire.ts";

export type Examination = {
  url: string;
  clientName?: string;
  key?: string | undefined;
  /** Without it nobody approves, and no token is made. */
  approve?: Approve | undefined;
  describeAccount?: DescribeAccount;
};

/** Goes the way of a client from the address of an MCP server to its tools, and says at which hop it ends. */
export async function examine(ask: Ask, examination: Examination): Promise<Report> {
  const { url, key } = examination;
  const findings = new Map<StepId, Finding<unknown>>();
  const take: Take = (id, finding) => {
    findings.set(id, finding);
    return finding.isSound ? finding.value : undefined;
  };

  const refusal = take("reach", await examineReach(ask, url));
  if (refusal) {
    const challenge = take("challenge", examineChallenge(url, refusal));
    const resource = challenge && take("resource", await examineResource(ask, url, challenge.documentUrl));
    const endpoints = resource && take("issuer", await examineIssuer(ask, resource.issuer));
    if (refusal.status === 401) take("bearer", await examineBearer(ask, url));
    take("cors", await examineCors(ask, url, refusal));
    const token = endpoints && (await examineSignIn(ask, endpoints, { take, ...examination }));
    const credentials = key === undefined ? token && { authorization: `Bearer ${token}` } : { "x-api-key": key };
    if (credentials) await examineUse(ask, credentials, { take, ...examination });
  }

  const steps = stepIds.map((id) => toStep(id, findings.get(id)));
  const brokenStep = steps.find(({ outcome }) => outcome === "broken")?.id ?? null;
  return { url, healthy: brokenStep === null, brokenStep, steps };
}

type Take = <Value>(id: StepId, finding: Finding<Value>) => Value | undefined;

async function examineSignIn(
  ask: Ask,
  endpoints: Endpoints,
  given: Examination & { take: Take },
): Promise<string | undefined> {
  const { take, url, clientName = doctorName, approve } = given;
  const client = take("registration", await examineRegistration(ask, endpoints, clientName));
  if (!client) return undefined;
  const request = { url, clientId: client.clientId };
  const visit = take("consent", await examineConsent(ask, endpoints, request));
  const isAnswering = take("token", await examineToken(ask, endpoints, request)) !== undefined;
  if (!visit || !isAnswering || !approve) return undefined;
  return take("exchange", await examineExchange(ask, endpoints, { ...request, ...visit, approve }))?.accessToken;
}

async function examineUse(
  ask: Ask,
  credentials: Record<string, string>,
  given: Examination & { take: Take },
): Promise<void> {
  const { take, url, describeAccount } = given;
  const tools = take("tools", await examineTools(ask, url, credentials));
  if (tools) take("account", await examineAccount(tools, describeAccount));
}

export const doctorName = "Switchyard connection doctor";

function toStep(id: StepId, finding: Finding<unknown> | undefined): Step {
  const nothing = { fault: null, fix: null };
  const about = { id, ...descriptions[id] };
  if (!finding)
    return {
      ...about,
      outcome: "skipped",
      seen: reasons[id] ?? "not asked, because a hop before it is broken",
      ...nothing,
    };
  if (finding.isSound && finding.advice !== undefined)
    return { ...about, outcome: "warning", seen: finding.seen, fault: null, fix: finding.advice };
  if (finding.isSound) return { ...about, outcome: "ok", seen: finding.seen, ...nothing };
  return { ...about, outcome: "broken", seen: finding.seen, fault: finding.fault, fix: finding.fix };
}

const reasons: Partial<Record<StepId, string>> = {
  exchange: "not tried: it needs the approval of a person, which the page of the web UI gives, and all hops before it",
  tools: "not asked: it needs a token or an API key (--key on the command line), and all hops before it",
  account: "not asked: it needs the list of tools",
};

const descriptions: Record<StepId, { title: string; expected: string }> = {
  reach: { title: "Address of the server", expected: "JSON from the gateway" },
  challenge: { title: "Challenge to sign in", expected: "401 with WWW-Authenticate: Bearer resource_metadata=…" },
  resource: { title: "Document about the server", expected: "200, JSON whose resource is exactly the address" },
  issuer: {
    title: "Document about the authorization server",
    expected: "200, JSON with this issuer, S256 and endpoints at the same address",
  },
  registration: { title: "Registration of a client", expected: "201 with a client_id" },
  consent: {
    title: "Way of the browser to the consent page",
    expected: "a redirect with a cookie, then the page of the web UI",
  },
  token: { title: "Token endpoint", expected: "400 invalid_grant for a made-up code, Cache-Control: no-store" },
  bearer: { title: "Authorization header", expected: '401 with error="invalid_token" for a made-up token' },
  cors: {
    title: "Calls from web pages (CORS)",
    expected: "2xx to OPTIONS, Access-Control headers, WWW-Authenticate exposed",
  },
  exchange: {
    title: "Approval and exchange of the code",
    expected: "the browser comes back with a code, the code becomes a token",
  },
  tools: { title: "List of tools", expected: "200 with the tools" },
  account: { title: "Account of a call", expected: "one that is used when a call names none" },
};
