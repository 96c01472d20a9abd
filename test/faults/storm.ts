import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "../support/browser-client.ts";
import { followEvents } from "../support/events/follow-events.ts";
import { password } from "../support/people.ts";
import type { Random } from "./random.ts";
import { type Call, type RequestedRun, repeat, startCallers, startDeliveries, startRequester } from "./storm-load.ts";
import type { Member, Team, Yard } from "./yard.ts";

// Longer than a lease, and therefore rare.
const pauseMs = 12_000;
const pauseEvery = 50;
const longestQuietMs = 700;
// Starting a process costs a second of a core, and calls are what is lost first: the other roles are killed less often.
const longestQuietOfOthersMs = 12_000;
// The slots of a killed process come back after its lease, so a busy organization would soon be at rest.
const crowdMs = 1_500;

export type Storm = Awaited<ReturnType<typeof runStorm>>;

/** What became of everything while each gateway was killed so many times, and the other processes, the database and connections failed too. */
export async function runStorm(yard: Yard, { rounds, random }: { rounds: number; random: Random }) {
  const calls: Call[] = [];
  const requestedRuns: RequestedRun[] = [];
  const deliveries: string[] = [];
  const kills: { role: string; at: number }[] = [];
  const live = new Map<string, string>();
  yard.provider.takeTime(50);
  const steady = await yard.createTeam("steady");
  const owner = await signIn(yard, steady);
  const { path: hookPath, triggerId } = await makeWebhook(yard, owner, steady);
  const canvases = await readCanvases(yard);
  const teams = [steady];
  const view = createView(yard, { owner, team: steady, live });

  const kill = async (member: Member, chance: Random, quietMs: number) => {
    await delay(chance.below(quietMs));
    kills.push({ role: member.role, at: performance.now() });
    await yard.restart(member, "SIGKILL");
  };
  const killOften = async (member: Member, chance: Random) => {
    for (let round = 1; round <= rounds; round++) {
      if (round % pauseEvery === 0) await pause(member, chance);
      await kill(member, chance, longestQuietMs);
    }
  };
  const [gateways, others] = [yard.members.filter(isGateway), yard.members.filter((member) => !isGateway(member))];
  const crowdChance = random.fork();
  const always = [
    startCallers(yard, { count: 3, team: steady, random: random.fork(), log: calls }),
    startRequester(yard, { team: steady, random: random.fork(), log: requestedRuns }),
    startDeliveries(yard, { path: hookPath, random: random.fork(), log: deliveries }),
    repeat(1, async () => {
      // The database may be away.
      const team = await yard.createTeam(`crowd-${teams.length}`).catch(() => undefined);
      if (!team) return;
      teams.push(team);
      const crowd = { team, random: crowdChance };
      const clients = [
        startCallers(yard, { ...crowd, count: 8, log: calls }),
        startRequester(yard, { ...crowd, log: requestedRuns }),
      ];
      await delay(crowdMs);
      await Promise.all(clients.map(({ stop }) => stop()));
    }),
    repeatWith(random.fork(), (chance) => kill(chance.pick(others), chance, longestQuietOfOthersMs)),
    repeatWith(random.fork(), (chance) => disturb(yard, chance)),
    repeatWith(random.fork(), (chance) => view.look(chance)),
  ];
  await Promise.all(gateways.map((member) => killOften(member, random.fork())));
  await Promise.all(always.map(({ stop }) => stop()));
  return {
    calls,
    requestedRuns,
    deliveries,
    kills,
    live,
    last: await view.open(random),
    teams,
    steady,
    owner,
    triggerId,
    canvases,
  };
}

const isGateway = ({ role }: Member): boolean => role === "gateway";

const repeatWith = (chance: Random, turn: (chance: Random) => Promise<void>) => repeat(1, () => turn(chance));

/** Stops a process for longer than its slots are leased to it, while the others go on. */
async function pause({ server: { child } }: Member, chance: Random): Promise<void> {
  await delay(chance.below(500));
  child.kill("SIGSTOP");
  await delay(pauseMs);
  child.kill("SIGCONT");
  await delay(1_000);
}

/** Something happens to the database or on the way to it, and is over soon. */
async function disturb(yard: Yard, chance: Random): Promise<void> {
  const { weather } = yard.proxy;
  const disturbances = [
    () => yard.crashDatabase(chance.pick(["SIGKILL", "SIGINT"])),
    () => yard.proxy.cut(),
    () => Object.assign(weather, { delayMs: 50 }),
    () => Object.assign(weather, { losesAnswers: true }),
  ];
  await delay(3_000 + chance.below(6_000));
  chance.pick(disturbances)();
  await delay(300 + chance.below(500));
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
  const nodes = [
    { id: "a", nodeId: "set_fields", parameters: { fields: { said: "{{ $trigger.payload.delivery }}" } } },
  ];
  const saved = await yard.parts.workflows.create(organizationId, { name: "Hear", canvas: { nodes, edges: [] } }, null);
  const request = { workflowId: saved.id, kind: "webhook", name: "Hook", signature: "none" };
  const { status, body } = await owner.post(`/api/organizations/${organizationId}/triggers`, request);
  if (status !== 201) throw new Error(`making a webhook answered ${status}: ${JSON.stringify(body)}`);
  return { path: new URL(body.webhookUrl as string).pathname, triggerId: body.id as string };
}

/** A live view of the history, opened again and again at one of the doors, which may be closed at the moment. */
function createView(yard: Yard, { owner, team, live }: { owner: Browser; team: Team; live: Map<string, string> }) {
  let lastEventId: string | undefined;

  async function open(chance: Random) {
    const { platformUrl } = chance.pick(yard.of("platform"));
    const stream = await followEvents(platformUrl, owner, team.organizationId, lastEventId).catch(() => undefined);
    if (!stream) return undefined;
    return {
      stop: () => stream.kill(),
      /** Notes what was seen since the last time. */
      take(): void {
        for (const { name, data } of stream.events.splice(0)) if (name === "tool-call") live.set(data.id, data.status);
        lastEventId = stream.lastId ?? lastEventId;
      },
    };
  }

  return {
    open,
    async look(chance: Random): Promise<void> {
      const stream = await open(chance);
      await delay(chance.below(3_000));
      stream?.stop();
      stream?.take();
    },
  };
}

/** The saved canvases, as they are in the table. */
export const readCanvases = (yard: Yard) =>
  yard.query<{ id: string; version: number; hash: string }>(
    "SELECT workflow_id AS id, version, encode(sha256(convert_to(canvas, 'UTF8')), 'hex') AS hash FROM workflow_version ORDER BY 1, 2",
  );
