import { randomUUID } from "node:crypto";
import { Pool } from "undici";
import { callWith, issueRequest, saidIn } from "../support/gateway/gateway-pair.ts";
import type { RpcAnswer } from "../support/gateway/mcp-client.ts";
import type { SpawnedServer } from "../support/spawned-server.ts";
import type { Team, Yard } from "./yard.ts";

const batch = 10;

type Crowd = { gateways: SpawnedServer[]; clients: number; calls: number };

/** Many clients of two organizations on kept connections, every fifth of which asks again before it was answered; gives the answers that are not its own. */
export async function askAtOnce(yard: Yard, { gateways, clients, calls }: Crowd): Promise<string[]> {
  const teams = [await yard.createTeam("red"), await yard.createTeam("blue")];
  const wrong: string[] = [];
  const askOften = async (client: number) => {
    const team = teams[client % 2] as Team;
    const gateway = gateways[Math.floor(client / 2) % gateways.length] as SpawnedServer;
    const ask = client % 5 === 0 ? askPipelined : askInTurn;
    for (let done = 0; done < calls; done += batch) {
      const nonces = Array.from({ length: batch }, () => `${team.name} ${randomUUID()}`);
      const said = (await ask(nonces, gateway, team)).map(saidIn);
      wrong.push(...nonces.filter((nonce, index) => said[index]?.id !== nonce || said[index]?.title !== nonce));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => askOften(client)));
  const isForeign = ({ title, authorization }: { title: string; authorization: string }) =>
    /^(red|blue) /.test(title) && authorization !== `Bearer token-of-${title.split(" ")[0]}`;
  return [...wrong, ...yard.provider.requests.filter(isForeign).map(({ title }) => title)];
}

/** Sends the next request before the last one is answered, on one connection. */
async function askPipelined(nonces: string[], gateway: SpawnedServer, team: Team): Promise<Pick<RpcAnswer, "json">[]> {
  const pool = new Pool(gateway.gatewayUrl, { connections: 1, pipelining: nonces.length });
  const ask = async (nonce: string) => {
    const { body, headers } = issueRequest(nonce, team);
    const { body: answer } = await pool.request({
      path: "/github/mcp",
      method: "POST",
      // Otherwise it would wait for the answer.
      idempotent: true,
      headers: { "content-type": "application/json", accept: "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { json: (await answer.json()) as RpcAnswer["json"] };
  };
  try {
    return await Promise.all(nonces.map(ask));
  } finally {
    await pool.close();
  }
}

async function askInTurn(nonces: string[], gateway: SpawnedServer, team: Team): Promise<RpcAnswer[]> {
  const answers: RpcAnswer[] = [];
  for (const nonce of nonces) answers.push(await callWith(nonce, gateway, team));
  return answers;
}
