import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { RunEntry } from "../../../src/runs/wire.ts";
import { createListKeeper } from "./keep-list.ts";

const queryKey = ["list"];
let queryClient: QueryClient;
let answers: { ids: string[]; afterMs: number }[];
let stop: () => void;

const all = () => true;
const run = (id: string) => ({ kind: "run", data: { id, completedAt: null } as RunEntry }) as const;

beforeEach(() => {
  queryClient = new QueryClient();
  answers = [];
});
afterEach(() => {
  stop();
  queryClient.clear();
});

async function keep(firstIds: string[], fits: (() => boolean) | undefined) {
  answers.push({ ids: firstIds, afterMs: 0 });
  const read = async () => {
    const { ids, afterMs } = answers.shift() ?? { ids: ["unexpected"], afterMs: 0 };
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    return { data: ids.map((id) => run(id).data), nextCursor: null as string | null };
  };
  const options = {
    queryKey,
    queryFn: read,
    initialPageParam: "",
    getNextPageParam: () => null,
    staleTime: Number.POSITIVE_INFINITY,
  };
  await queryClient.prefetchInfiniteQuery(options);
  const keeper = createListKeeper(queryClient, { queryKey, kind: "run", fits });
  stop = keeper.stop;
  return { ...keeper, readAgain: () => queryClient.fetchInfiniteQuery({ ...options, staleTime: 0 }) };
}

const shown = () =>
  queryClient
    .getQueryData<{ pages: { data: { id: string }[] }[] }>(queryKey)
    ?.pages.map(({ data }) => data.map(({ id }) => id));

it("shows what is told, and nothing of another kind", async () => {
  const { tell } = await keep(["5"], all);
  tell(run("6"));
  tell({ kind: "tool-call", data: { id: "7" } as never });
  await expect.poll(shown).toEqual([["6", "5"]]);
});

it("does not lose what is told while an older answer is on its way", async () => {
  const { tell, readAgain } = await keep(["5"], all);
  answers.push({ ids: ["5"], afterMs: 300 });
  const reading = readAgain();
  tell(run("6"));
  await reading;
  await expect.poll(shown).toEqual([["6", "5"]]);
});

const isToBeReadAnew = () => queryClient.getQueryState(queryKey)?.isInvalidated;

it("reads the list anew when something may have been missed", async () => {
  const { tell } = await keep(["5"], all);
  tell({ kind: "reload" });
  await expect.poll(isToBeReadAnew).toBe(true);
});

it("reads the list anew when only the server knows whether the entry belongs in it", async () => {
  const { tell } = await keep(["5"], undefined);
  tell(run("6"));
  await expect.poll(isToBeReadAnew, { timeout: 3_000 }).toBe(true);
  expect(shown()).toEqual([["5"]]);
});

it("reads the list anew instead of showing hundreds of entries at once", async () => {
  const { tell } = await keep(["5"], all);
  for (let id = 1_000; id < 1_300; id++) tell(run(String(id)));
  await expect.poll(isToBeReadAnew).toBe(true);
  expect(shown()).toEqual([["5"]]);
});
