/** A schedule that people say in a few words. */
export type SimpleSchedule = {
  repeat: "hour" | "day" | "weekday" | "week" | "month";
  minute: number;
  hour: number;
  /** 0 is Sunday. */
  weekday: number;
  dayOfMonth: number;
};

export const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

export function writeCron({ repeat, minute, hour, weekday, dayOfMonth }: SimpleSchedule): string {
  switch (repeat) {
    case "hour":
      return `${minute} * * * *`;
    case "day":
      return `${minute} ${hour} * * *`;
    case "weekday":
      return `${minute} ${hour} * * 1-5`;
    case "week":
      return `${minute} ${hour} * * ${weekday}`;
    case "month":
      return `${minute} ${hour} ${dayOfMonth} * *`;
  }
}

/** Undefined where a few words cannot say it. */
export function readCron(cron: string): SimpleSchedule | undefined {
  const [, minute, hour, dayOfMonth, weekday] =
    /^(\d{1,2}) (\d{1,2}|\*) (\d{1,2}|\*) \* ([0-6]|1-5|\*)$/.exec(cron.trim()) ?? [];
  const schedule = {
    minute: Number(minute),
    hour: hour === "*" ? 9 : Number(hour),
    weekday: weekday === "*" || weekday === "1-5" ? 1 : Number(weekday),
    dayOfMonth: dayOfMonth === "*" ? 1 : Number(dayOfMonth),
  };
  const found = repeats
    .map((repeat) => ({ ...schedule, repeat }))
    .find((candidate) => writeCron(candidate) === cron.trim());
  return found && found.minute <= 59 && found.hour <= 23 ? found : undefined;
}

export function describeCron(cron: string): string | undefined {
  const schedule = readCron(cron);
  if (!schedule) return undefined;
  const at = `at ${writeTime(schedule)}`;
  switch (schedule.repeat) {
    case "hour":
      return schedule.minute === 0 ? "Every hour, on the hour" : `Every hour, ${schedule.minute} minutes past`;
    case "day":
      return `Every day ${at}`;
    case "weekday":
      return `Monday to Friday ${at}`;
    case "week":
      return `Every ${weekdays[schedule.weekday]} ${at}`;
    case "month":
      return `On day ${schedule.dayOfMonth} of the month ${at}`;
  }
}

/** As an input of the type `time` has it. */
export const writeTime = ({ hour, minute }: Pick<SimpleSchedule, "hour" | "minute">): string =>
  [hour, minute].map((number) => String(number).padStart(2, "0")).join(":");

const repeats = ["hour", "day", "weekday", "week", "month"] as const;
