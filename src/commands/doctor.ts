import { z } from "zod";
import { examineFrom } from "../doctor/doctor.ts";
import type { Report } from "../doctor/wire.ts";
import { readOptionsWithSecret } from "./secret-option.ts";

const options = z.object({ url: z.url({ protocol: /^https?$/ }), key: z.string().min(1).optional() });

/** Answers also when something is broken, with an exit code that says so. */
export async function doctor(words: string[]): Promise<Report> {
  const report = await examineFrom(await readOptionsWithSecret(words, options, { secret: "key" }));
  if (!report.healthy) process.exitCode = 1;
  return report;
}
