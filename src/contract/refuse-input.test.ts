import { expect, it } from "vitest";
import { refuseInput } from "./refuse-input.ts";

it.each([
  ["/to", "must name a recipient", "to must name a recipient."],
  ["/embeds/0/x", "is not known.", "embeds/0/x is not known."],
  ["to", "must name a recipient", "to must name a recipient."],
  ["", "Give either from or to", "Give either from or to."],
])("says of %j that it %s", (pointer, detail, says) => {
  expect(refuseInput(pointer, detail)).toMatchObject({
    code: "validation_failed",
    message: says,
    errors: [{ pointer, detail }],
  });
});
