import type { Sizes } from "./fill-installation.ts";

export const large: Sizes = {
  runs: 1_000_000,
  runsOfOneWorkflow: 300_000,
  calls: 1_000_000,
  workflows: 10_000,
  members: 10_000,
  credentials: 100_000,
  apiKeys: 1_000,
  schedules: 1_000,
  invitations: 1_000,
};
/** It fills its pages too: what is compared is what grows, not how much fits on a page. */
export const small: Sizes = {
  runs: 3_000,
  runsOfOneWorkflow: 1_000,
  calls: 3_000,
  workflows: 300,
  members: 300,
  credentials: 300,
  apiKeys: 300,
  schedules: 300,
  invitations: 300,
};
