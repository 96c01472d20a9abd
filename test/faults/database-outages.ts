import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "../support/browser-client.ts";
import { callWith, codeIn, readIssueRecords } from "../support/gateway/gateway-pair.ts";
import { roundsOf } from "../support/rounds.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import type { Trial } from "./invariant.ts";
import { requestRun } from "./request-run.ts";
import { isReady, whenEnded } from "./rolling-restart.ts";
import type { Member, Person, Team, Yard } from "./yard.ts";

// The promise is two seconds; beside other tests a process may have to wait for its turn as well.
const answerLimitMs = roundsOf(2_500, 2_000);
const backLimitMs = 5_000;

type Outage = {
  name: string;
  isUnreachable: boolean;
  /** How long the promise says that it is to last. */
  longMs: number;
  begin: (yard: Yard) => unknown;
  end: (yard: Yard) => unknown;
};

const lock = "LOCK TABLE api_key, session IN ACCESS EXCLUSIVE MODE";
const ofLock = `FROM pg_stat_activity WHERE query LIKE '%${lock}%' AND pid <> pg_backend_pid()`;

const outages: [Outage, Outage, Outage] = [
  {
    name: "silent",
    isUnreachable: true,
    longMs: 10_000,
    begin: ({ proxy }) => (proxy.weather.isBlackHole = true),
    end: ({ proxy }) => (proxy.weather.isBlackHole = false),
  },
  {
    name: "cut off",
    isUnreachable: true,
    longMs: 30_000,
    begin: ({ proxy }) => proxy.cut(),
    end: ({ proxy }) => (proxy.weather.isCut = false),
  },
  {
    // Whoever asks for a key or a session keeps a connection, until there is none left.
    name: "exhausted",
    isUnreachable: false,
    longMs: 5_000,
    async begin({ query }) {
      query(`BEGIN; ${lock}; SELECT pg_sleep(600)`).catch(() => {});
      while ((await query(`SELECT ${ofLock} AND wait_event = 'PgSleep'`)).length === 0) await delay(5);
    },
    end: ({ query }) => query(`SELECT pg_terminate_backend(pid) ${ofLock}`),
  },
];

/** Takes the database away in different ways while every door is asked. */
export async function checkOutages(yard: Yard, { rounds, random, isPlanted }: Trial): Promise<string[]> {
  const team = await yard.createTeam("cut");
  const person = await yard.signUp("Carla", team.organizationId, "owner");
  const violations: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const outage = outages[round % outages.length] as Outage;
    const lastsMs = roundsOf(1_000, round < outages.length ? outage.longMs : 2_000 + random.below(3_000));
    const found = await checkOutage({ yard, team, person, outage }, { round, lastsMs, isPlanted });
    violations.push(...found.map((line) => `${outage.name}: ${line}`));
  }
  return violations;
}

type Scene = { yard: Yard; team: Team; person: Person; outage: Outage };

async function checkOutage(
  { yard, team, person, outage }: Scene,
  { round, lastsMs, isPlanted }: { round: number; lastsMs: number; isPlanted: boolean },
) {
  const { provider } = yard;
  const gateways = yard.of("gateway");
  provider.forget();
  const release = provider.hold();
  const running = [...gateways, ...gateways].map((gateway, index) =>
    callWith(`running ${round} ${index}`, gateway, team),
  );
  await provider.whenRunning(running.length, 10_000);
  await outage.begin(yard);
  if (isPlanted) await outage.end(yard);
  const asking = askEverywhere({ yard, team, person, outage }, { round, until: performance.now() + lastsMs });
  await delay(100);
  release();
  const ended = await Promise.all(running);
  const wrong = await asking;
  await outage.end(yard);
  const backAt = performance.now();
  return [
    // What the provider did is not known to be recorded, so nobody may be told that it was done.
    ...ended.flatMap((answer) => {
      const wanted = outage.isUnreachable ? "503 record_unavailable" : "200 undefined";
      const said = `${answer.status} ${codeIn(answer)}`;
      return said === wanted ? [] : [`a call that ran was answered with ${said}`];
    }),
    ...wrong,
    ...(provider.requests.some(({ title }) => title.startsWith("during")) ? ["the provider was asked"] : []),
    ...(await findNotBack({ yard, team, person }, backAt)),
    ...(await findBadRecords(yard, team)),
  ];
}

type Doors = Omit<Scene, "outage">;
type Ask = () => Promise<{ status: number; code: string | undefined }>;

const asksOf = ({ yard, team, person }: Doors, name: string): Ask[] => {
  const call = (gateway: SpawnedServer) => async () => {
    const answer = await callWith(name, gateway, team);
    return { status: answer.status, code: codeIn(answer) };
  };
  const read = (browser: Browser) => async () => {
    const { status, body } = await browser.get(`/api/organizations/${team.organizationId}`);
    return { status, code: body?.code };
  };
  const trigger = (platform: SpawnedServer) => () => requestRun(platform, team, name);
  return [...yard.of("gateway").map(call), ...yard.of("platform").map(trigger), ...person.browsers.map(read)];
};

/** Ten at once at each door, and then one after the other: each must be told in time that there is no database. */
async function askEverywhere(
  { outage, ...doors }: Scene,
  { round, until }: { round: number; until: number },
): Promise<string[]> {
  const wrong = new Set<string>();
  const ask = async (send: Ask, index: number) => {
    const startedAt = performance.now();
    const { status, code } = await send();
    const elapsedMs = Math.round(performance.now() - startedAt);
    if (status !== 503 || code !== "database_unavailable") wrong.add(`door ${index} answered ${status} ${code}`);
    if (elapsedMs > answerLimitMs) wrong.add(`door ${index} answered after ${elapsedMs} ms`);
  };
  const asks = asksOf(doors, `during ${round}`);
  const checkReadiness = async (member: Member) => {
    if (outage.isUnreachable && (await isReady(member))) wrong.add(`a ${member.role} says that it is ready`);
  };
  const doorsOf = doors.yard.members.filter(({ role }) => role !== "worker");
  await Promise.all([...Array.from({ length: 10 }, () => asks.map(ask)).flat(), ...doorsOf.map(checkReadiness)]);
  const repeat = async (send: Ask, index: number) => {
    for (; performance.now() < until; await delay(200)) await ask(send, index);
  };
  await Promise.all(asks.map(repeat));
  return [...wrong];
}

async function findNotBack(doors: Doors, backAt: number): Promise<string[]> {
  const { yard, team } = doors;
  const isBack = async (member: Member) => {
    while (!(await isReady(member)))
      if (performance.now() - backAt > backLimitMs) return [`a ${member.role} is not ready`];
    return [];
  };
  const answersAgain = async (send: Ask, index: number) => {
    for (;;) {
      const { status, code } = await send();
      if (status < 300) return [];
      if (performance.now() - backAt > backLimitMs) return [`door ${index} still answers ${status} ${code}`];
      await delay(50);
    }
  };
  const doorsBack = yard.members.filter(({ role }) => role !== "worker").map(isBack);
  const found = [...doorsBack, ...asksOf(doors, "after").map(answersAgain)];
  const lines = (await Promise.all(found)).flat();
  const { id } = await requestRun(yard.of("platform")[0] as SpawnedServer, team, "after all");
  const status = (await whenEnded(yard, [id], 30_000)).get(id);
  return [...lines, ...(status === "succeeded" ? [] : [`a run afterwards is ${status}`])];
}

/** Records of calls that were told as failed because of the database are closed when it is back. */
async function findBadRecords(yard: Yard, team: Team): Promise<string[]> {
  for (const until = performance.now() + 10_000; ; await delay(100)) {
    const records = (await readIssueRecords({ database: yard }, team)).filter(({ asked }) =>
      /^(running|during)/.test(asked),
    );
    const open = records.filter(({ status }) => status === "running");
    if (open.length > 0 && performance.now() < until) continue;
    const twice = records.length - new Set(records.map(({ asked }) => asked)).size;
    return [
      ...open.map(({ asked }) => `the record of ${asked} stays open`),
      ...(twice > 0 ? [`${twice} records too many`] : []),
      ...records.flatMap(({ asked }) => (asked.startsWith("during") ? [`${asked} was recorded`] : [])),
    ];
  }
}
