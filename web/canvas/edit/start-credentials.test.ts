import { expect, it } from "vitest";
import type { NodeKind } from "../../catalog.ts";
import { startCredentials } from "./start-credentials.ts";

const kind = { credentials: ["slack"], alsoTakes: [], worksWithoutAccount: false } as unknown as NodeKind;
const account = (reference: string, more: object = {}) => ({
  type: "slack",
  reference,
  health: "ok" as const,
  isComplete: true,
  ...more,
});

it("takes the only account that can be used", () => {
  expect(startCredentials(kind, [account("a"), account("b", { type: "github" })])).toEqual({
    credentials: { slack: "a" },
  });
  expect(startCredentials(kind, [account("a"), account("b", { health: "failing" })])).toEqual({
    credentials: { slack: "a" },
  });
});

it("takes none of several, none that lacks something, and none where none is needed", () => {
  expect(startCredentials(kind, [account("a"), account("b")])).toEqual({});
  expect(startCredentials(kind, [account("a", { isComplete: false })])).toEqual({});
  expect(startCredentials({ ...kind, worksWithoutAccount: true }, [account("a")])).toEqual({});
  expect(startCredentials(kind, undefined)).toEqual({});
});
