import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "../support/browser-client.ts";
import { followEvents } from "../support/follow-events.ts";
import { password } from "../support/people.ts";
import type { Random } from "./random.ts";
import { type Call, startCallers, startDeliveries, startWisher, type Wish } from "./storm-load.ts";
import type { Member, Team, Yard } from "./yard.ts";

// Longer than a lease, and therefore rare.
const pauseMs = 12_000;
const pauseEvery = 50;
// Most rounds kill both gateways only: a start costs a second of a core, and calls are what is lost first.
const killOtherEvery = 3;

export type Storm = Awaited<ReturnType<typeof runStorm>>;

/** What became of everything while processes, database and connections failed for so many rounds. */
export async function runStorm(yard: Yard, { rounds, random }: { rounds: number; random: Random }) {
  const calls: Call[] = [];
  const wishes: Wish[] = [];
  const deliveries: string[] = [];
  const kills: { role: string; at: number }[] = [];
  const live = new Map<string, string>();
  yard.provider.takeTime(50);
  const steady = await yard.createTeam("steady");
  const owner = await signIn(yard, steady);
  const { path: hookPath, triggerId } = await makeWebhook(yard, owner, steady);
  const canvases = await readCanvases(yard);

  const kill = async (member: Member, waitMs: number) => {
    await delay(waitMs);
    kills.push({ role: member.role, at: performance.now() });
    await yard.restart(member, "SIGKILL");
  };
  const teams = [steady];
  const always = [
    startCallers(yard, { count: 3, team: steady, random, log: calls }),
    startWisher(yard, { team: steady, random, log: wishes }),
    startDeliveries(yard, { path: hookPath, random, log: deliveries }),
  ];
  let lastEventId: string | undefined;
  for (let round = 0; round < rounds; round++) {
    // The slots of a killed process come back after its lease, so a busy organization would soon be at rest.
    const team = await yard.createTeam(`round-${round}`);
    teams.push(team);
    const clients = [startCallers(yard, { count: 8, team, random, log: calls }), startWisher(yard, { team, random, log: wishes })];
    const stream = await follow(yard, { owner, team: steady, lastEventId, random });
    const others = yard.members.filter(({ role }) => role !== "gateway");
    const gateways = yard.members.filter(({ role }) => role === "gateway");
    const victims = round % killOtherEvery === 0 ? [...gateways, random.pick(others)] : gateways;
    if (round % pauseEvery === pauseEvery - 1) await pauseGateway(yard, random);
    else await Promise.all([...victims.map((member) => kill(member, random.below(700))), disturb(yard, random)]);
    stream?.stop();
    lastEventId = stream?.take(live) ?? lastEventId;
    await Promise.all(clients.map(({ stop }) => stop()));
  }
  await Promise.all(always.map(({ stop }) => stop()));
  const last = await follow(yard, { owner, team: steady, lastEventId, random });
  return { calls, wishes, deliveries, kills, live, last, teams, steady, owner, triggerId, canvases };
}

/** Stops one gateway for longer than its slots are leased to it, while the others go on. */
async function pauseGateway(yard: Yard, random: Random): Promise<void> {
  await delay(random.below(500));
  const { child } = random.pick(yard.of("gateway"));
  child.kill("SIGSTOP");
  await delay(pauseMs);
  child.kill("SIGCONT");
  await delay(1_000);
}

/** Two rounds of five something happens to the database or on the way to it. */
async function disturb(yard: Yard, random: Random): Promise<void> {
  const { weather } = yard.proxy;
  const disturbances = [
    () => yard.crashDatabase(random.pick(["SIGKILL", "SIGINT"])),
    () => yard.proxy.cut(),
    () => Object.assign(weather, { delayMs: 50 }),
    () => Object.assign(weather, { losesAnswers: true }),
  ];
  await delay(random.below(600));
  if (random.below(5) > 1) return;
  random.pick(disturbances)();
  await delay(300 + random.below(500));
  const hadLostAnswers = weather.losesAnswers;
  Object.assign(weather, { delayMs: 0, losesAnswers: false, isCut: false });
  // Half of an answer must not be followed by the next one.
  if (hadLostAnswers) {
    yard.proxy.cut();
    weather.isCut = false;
  }
}

async function signIn(yard: Yard, { organizationId }: Team): Promise<Browser> {
  const person = { name: "Ann", email: "ann@example.com", password };
  await yard.parts.identity.accounts.create(person);
  await yard.parts.identity.organizations.addMember(organizationId, person.email, "owner");
  const browser = yard.of("platform")[0]?.browser() as Browser;
  const { status } = await browser.post("/api/sign-in", person);
  if (status !== 200) throw new Error(`signing in answered ${status}`);
  return browser;
}

async function makeWebhook(yard: Yard, owner: Browser, { organizationId }: Team) {
  const nodes = [{ id: "a", nodeId: "set_fields", parameters: { fields: { said: "{{ $trigger.payload.delivery }}" } } }];
  const saved = await yard.parts.workflows.create(organizationId, { name: "Hear", canvas: { nodes, edges: [] } }, null);
  const request = { workflowId: saved.id, kind: "webhook", name: "Hook", signature: "none" };
  const { status, body } = await owner.post(`/api/organizations/${organizationId}/triggers`, request);
  if (status !== 201) throw new Error(`making a webhook answered ${status}: ${JSON.stringify(body)}`);
  return { path: new URL(body.webhookUrl as string).pathname, triggerId: body.id as string };
}

/** A live view of the history at one of the doors, which may be closed at the moment. */
async function follow(
  yard: Yard,
  { owner, team, lastEventId, random }: { owner: Browser; team: Team; lastEventId: string | undefined; random: Random },
) {
  const stream = await followEvents(random.pick(yard.of("platform")).platformUrl, owner, team.organizationId, lastEventId).catch(
    () => undefined,
  );
  if (!stream) return undefined;
  return {
    stop: () => stream.kill(),
    /** Moves what was seen since the last time into the map, and gives the place to go on from. */
    take(live: Map<string, string>): string | undefined {
      for (const { name, data } of stream.events.splice(0)) if (name === "tool-call") live.set(data.id, data.status);
      return stream.lastId;
    },
  };
}

/** The saved canvases, as they are in the table. */
export const readCanvases = (yard: Yard) =>
  yard.query<{ id: string; version: number; hash: string }>(
    "SELECT workflow_id AS id, version, encode(sha256(convert_to(canvas, 'UTF8')), 'hex') AS hash FROM workflow_version ORDER BY 1, 2",
  );
