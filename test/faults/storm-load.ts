import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { callWith, saidIn } from "../support/gateway/gateway-pair.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import type { Random } from "./random.ts";
import type { Team, Yard } from "./yard.ts";

/** What a client knows of a tool call: the answer, or nothing when the connection broke. */
export type Call = { nonce: string; team: Team; said?: ReturnType<typeof saidIn>; status?: number; gaveUpAt?: number };
/** What a client knows of a run it asked for, again and again under one Idempotency-Key until somebody answered. */
export type RequestedRun = {
  prompt: string;
  team: Team;
  takesOtherAccount: boolean;
  isWrong: boolean;
  statuses: number[];
  runId?: string;
};

/** `stop` breaks off what is under way, as clients do. */
type Loop = { stop: () => Promise<void> };

const pauseMs = 150;
const requestPauseMs = 900;

/** Clients that call one after the other, now well, now badly, until they are told to stop. */
export function startCallers(
  yard: Yard,
  { count, team, random, log }: { count: number; team: Team; random: Random; log: Call[] },
): Loop {
  return repeat(count, async (stopped) => {
    const gateway = random.pick(yard.of("gateway"));
    const kind = random.next();
    // The provider ends these otherwise than well.
    const word = kind < 0.05 ? "fail " : kind < 0.1 ? "drop " : "";
    const call: Call = { nonce: `${word}${team.name} ${randomUUID()}`, team };
    const signal = kind > 0.95 ? AbortSignal.any([stopped, AbortSignal.timeout(1 + random.below(40))]) : stopped;
    log.push(call);
    const giveUp = () => Object.assign(call, { gaveUpAt: performance.now() });
    signal.addEventListener("abort", giveUp);
    const answer = await callWith(call.nonce, gateway, team, signal).catch(() => undefined);
    signal.removeEventListener("abort", giveUp);
    if (answer) Object.assign(call, { status: answer.status, said: saidIn(answer) });
    else await delay(pauseMs);
  });
}

/** Machines that ask for runs and do not give up before they know; one request in ten names a node that does not exist. */
export function startRequester(
  yard: Yard,
  { team, random, log }: { team: Team; random: Random; log: RequestedRun[] },
): Loop {
  return repeat(1, async (stopped) => {
    const run: RequestedRun = { prompt: randomUUID(), team, ...drawRequest(random), statuses: [] };
    log.push(run);
    const body = JSON.stringify({ runtimePrompt: run.prompt, nodes: overridesOf(run) });
    do {
      const answer = await ask(random.pick(yard.of("platform")), run, body);
      if (answer) run.statuses.push(answer.status);
      if (answer?.status === 202) run.runId = answer.id;
      await delay(pauseMs + random.below(60));
    } while (!stopped.aborted && !run.statuses.some((status) => status < 500));
    await delay(random.below(requestPauseMs));
  });
}

const drawRequest = (random: Random) => ({ isWrong: random.below(10) === 0, takesOtherAccount: random.below(3) === 0 });

function overridesOf({ isWrong, takesOtherAccount, team }: RequestedRun): object[] {
  if (isWrong) return [{ id: "nobody" }];
  return takesOtherAccount ? [{ id: "left", credentials: { github: team.otherReference } }] : [];
}

/** The same delivery, several times at once at both doors and once more a moment later, as an anxious provider sends it. */
export function startDeliveries(
  yard: Yard,
  { path, random, log }: { path: string; random: Random; log: string[] },
): Loop {
  return repeat(1, async () => {
    const id = randomUUID();
    const send = (platform: SpawnedServer) =>
      fetch(`${platform.platformUrl}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "webhook-id": id },
        body: JSON.stringify({ delivery: id }),
      }).then(
        ({ status }) => status,
        () => undefined,
      );
    const first = await Promise.all([0, 1, 0, 1].flatMap((place) => yard.of("platform")[place] ?? []).map(send));
    await delay(random.below(1_500));
    const again = await send(random.pick(yard.of("platform")));
    if ([...first, again].includes(202)) log.push(id);
  });
}

async function ask(platform: SpawnedServer, { prompt, team }: RequestedRun, body: string) {
  const headers = { "x-api-key": team.key.key, "content-type": "application/json", "idempotency-key": prompt };
  const request = fetch(`${platform.platformUrl}/task-runner/trigger/${team.workflowId}`, {
    method: "POST",
    headers,
    body,
  });
  return await request
    .then(async (response) => ({ status: response.status, id: ((await response.json()) as { id: string }).id }))
    .catch(() => undefined);
}

/** The same again, by so many at once, until it is told to stop. */
export function repeat(count: number, turn: (stopped: AbortSignal) => Promise<void>): Loop {
  const stopping = new AbortController();
  const loop = async () => {
    while (!stopping.signal.aborted) await turn(stopping.signal);
  };
  const loops = Array.from({ length: count }, loop);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}
