import { expect, it } from "vitest";
import { createGate } from "./gate.ts";

const never = new AbortController().signal;
const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));

it("lets so many in at a time, in their order, and more when there may be more", async () => {
  let most = 2;
  const enter = createGate(() => most);
  const entered: number[] = [];
  const leaves = [1, 2, 3, 4, 5].map(async (name) => {
    const leave = await enter(never);
    entered.push(name);
    return leave;
  });
  await endOfTurn();
  expect(entered).toEqual([1, 2]);
  most = 3;
  (await leaves[0])?.();
  await endOfTurn();
  expect(entered).toEqual([1, 2, 3, 4]);
});

it("is left by who gives up, and nobody waits for that one", async () => {
  const enter = createGate(() => 1);
  const leave = await enter(never);
  const gone = new AbortController();
  const second = enter(gone.signal);
  const third = enter(never);
  gone.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  leave();
  (await third)();
  expect(await enter(never)).toBeTypeOf("function");
  await expect(enter(gone.signal)).rejects.toThrow("gone");
});
