import { describe, expect, it } from "vitest";
import { describeCron, readCron, type SimpleSchedule, writeCron } from "./cron-words.ts";

const base: SimpleSchedule = { repeat: "day", minute: 5, hour: 14, weekday: 3, dayOfMonth: 31 };

describe("a schedule in words", () => {
  it.each([
    ["0 * * * *", "Every hour, on the hour"],
    ["5 * * * *", "Every hour, 5 minutes past"],
    ["30 9 * * *", "Every day at 09:30"],
    ["0 9 * * 1-5", "Monday to Friday at 09:00"],
    ["0 18 * * 0", "Every Sunday at 18:00"],
    ["15 0 31 * *", "On day 31 of the month at 00:15"],
  ])("says %s as %s", (cron, words) => expect(describeCron(cron)).toBe(words));

  it.each([
    "*/5 * * * *",
    "0 9 1 1 *",
    "0 9 1 * 1",
    "0 9 * * 1,3",
    "60 9 * * *",
    "0 24 * * *",
    "0 * 1 * *",
    "0 0 9 * * *",
    "",
    "09 9 * * *",
  ])("leaves %s as it stands", (cron) => expect(describeCron(cron)).toBeUndefined());

  it("reads back what it wrote", () => {
    for (const repeat of ["hour", "day", "weekday", "week", "month"] as const) {
      const cron = writeCron({ ...base, repeat });
      expect(readCron(cron)?.repeat).toBe(repeat);
      expect(writeCron(readCron(cron) as SimpleSchedule)).toBe(cron);
    }
  });
});
