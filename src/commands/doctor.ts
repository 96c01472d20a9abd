import { z } from "zod";
import { examineFrom } from "../doctor/doctor.ts";
import type { Report } from "../doctor/wire.ts";
import { readOptions } from "./command-line.ts";

const options = z.object({ url: z.url({ protocol: /^https?$/ }), key: z.string().min(1).optional() });

/** Answers also when something is broken, with an exit code that says so. */
export async function doctor(words: string[]): Promise<Report> {
  const report = await examineFrom(readOptions(words, options));
  if (!report.healthy) process.exitCode = 1;
  return report;
}
