import { describe, expect, it } from "vitest";
import { describeCron, readCron, type SimpleSchedule, writeCron } from "./cron-words.ts";

const base: SimpleSchedule = { repeat: "day", every: 6, minute: 5, hour: 14, weekday: 3, dayOfMonth: 31 };

describe("a schedule in words", () => {
  it.each([
    ["* * * * *", "Every minute"],
    ["*/5 * * * *", "Every 5 minutes"],
    ["*/30 * * * *", "Every 30 minutes"],
    ["0 */6 * * *", "Every 6 hours, on the hour"],
    ["15 */2 * * *", "Every 2 hours, 15 minutes past"],
    ["0 * * * *", "Every hour, on the hour"],
    ["5 * * * *", "Every hour, 5 minutes past"],
    ["30 9 * * *", "Every day at 09:30"],
    ["0 9 * * 1-5", "Monday to Friday at 09:00"],
    ["0 18 * * 0", "Every Sunday at 18:00"],
    ["15 0 31 * *", "On day 31 of the month at 00:15"],
  ])("says %s as %s", (cron, words) => expect(describeCron(cron)).toBe(words));

  it.each([
    // They do not divide an hour or a day, so the pauses are not even.
    "*/7 * * * *",
    "*/59 * * * *",
    "0 */5 * * *",
    "*/5 9 * * *",
    "*/5 */2 * * *",
    "60 */2 * * *",
    "*/1 * * * *",
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
    for (const repeat of ["minutes", "hours", "hour", "day", "weekday", "week", "month"] as const) {
      const cron = writeCron({ ...base, repeat });
      expect(readCron(cron)?.repeat).toBe(repeat);
      expect(writeCron(readCron(cron) as SimpleSchedule)).toBe(cron);
    }
  });
});
