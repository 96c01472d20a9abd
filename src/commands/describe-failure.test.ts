import { expect, it } from "vitest";
import { Refusal } from "../base/refusal.ts";
import { describeFailure } from "./describe-failure.ts";

it("names options as they are typed, and what is wrong inside of one by its own name", () => {
  const errors = [
    { pointer: "/expiresAt", detail: "must lie in the future" },
    { pointer: "/data/authKind", detail: "is required" },
  ];
  expect(describeFailure(new Refusal("validation_failed", "No.", { errors }))).toBe(
    "No. (--expires-at: must lie in the future) (--data: authKind is required)",
  );
});
