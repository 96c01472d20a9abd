import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../test/support/free-port.ts";
import { median, reportFigure } from "./report-figure.ts";

// Who loses what when one of two processes behind a port is killed, and how connections that come together are spread (decision 18).
const bench = "shared-ports";
const ways = ["one queue", "round robin", "SO_REUSEPORT"] as const;
const kills = 10;
const clients = 16;
// A busy machine is slow; a connection that was lost is never answered.
const answerLimitMs = 15_000;

for (const way of ways) {
  const port = await freePort();
  const sharer = fork("bench/port-sharer.ts", [way, String(port)]);
  await whenBothUp(sharer);
  const spreads: number[] = [];
  for (let round = 0; round < 5; round++) spreads.push(await spread(port));
  const { cutOff, unanswered } = await killUnderLoad(sharer, port);
  sharer.disconnect();
  const say = (figure: string) => ({ bench, figure: `${way}, ${figure}`, unit: "" });
  const bar = way === "one queue" ? { bar: { atMost: 0 } } : {};
  reportFigure({ ...say(`${kills} kills: connections that were closed without an answer`), value: cutOff });
  reportFigure({ ...say(`${kills} kills: connections that were never answered`), value: unanswered, ...bar });
  reportFigure({ ...say("of 64 connections at once, those that went to the busier process"), value: median(spreads) });
}

async function whenBothUp(sharer: ChildProcess): Promise<void> {
  for (;;) if (((await once(sharer, "message")) as [{ up: number }])[0].up === 2) return;
}

async function spread(port: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: 64 }, () => ask(port)));
  const counts = Map.groupBy(answers, (answer) => /x-process: (\d+)/i.exec(answer)?.[1]);
  return Math.max(...[...counts.values()].map(({ length }) => length));
}

async function killUnderLoad(sharer: ChildProcess, port: number) {
  const lost = { cutOff: 0, unanswered: 0 };
  let isOver = false;
  const loops = Array.from({ length: clients }, async () => {
    while (!isOver) {
      const answer = await ask(port);
      if (answer === "too late") lost.unanswered += 1;
      else if (!answer.startsWith("HTTP/1.1 200")) lost.cutOff += 1;
    }
  });
  for (let count = 0; count < kills; count++) {
    await delay(200);
    const both = whenBothUp(sharer);
    sharer.send("kill");
    await both;
  }
  isOver = true;
  await Promise.all(loops);
  return lost;
}

/** The answer to one request over a connection of its own; what there is of it when it is cut off. */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1");
    const timer = setTimeout(() => settle("too late"), answerLimitMs);
    const settle = (answer: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.on("data", (chunk) => (received += chunk.toString()));
    socket.on("error", () => settle(received)).on("close", () => settle(received));
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  });
}
