/** A schedule that people say in a few words. */
export type SimpleSchedule = {
  repeat: "minutes" | "hours" | "hour" | "day" | "weekday" | "week" | "month";
  /** How many minutes or hours lie between two times. */
  every: number;
  minute: number;
  hour: number;
  /** 0 is Sunday. */
  weekday: number;
  dayOfMonth: number;
};

export const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/** Only what divides an hour or a day: a cron begins anew with each of them, and the last pause would be shorter. */
export const evenMinutes = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30];
export const evenHours = [2, 3, 4, 6, 8, 12];

export function writeCron({ repeat, every, minute, hour, weekday, dayOfMonth }: SimpleSchedule): string {
  switch (repeat) {
    case "minutes":
      return every === 1 ? "* * * * *" : `*/${every} * * * *`;
    case "hours":
      return `${minute} */${every} * * *`;
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
  const [minute = "", hour = "", dayOfMonth = "", , weekday = ""] = cron.trim().split(" ");
  const schedule = {
    every: readStep(minute) ?? readStep(hour) ?? 1,
    minute: readNumber(minute) ?? 0,
    hour: readNumber(hour) ?? 9,
    weekday: readNumber(weekday) ?? 1,
    dayOfMonth: readNumber(dayOfMonth) ?? 1,
  };
  return repeats
    .map((repeat) => ({ ...schedule, repeat }))
    .find((candidate) => isPossible(candidate) && writeCron(candidate) === cron.trim());
}

const readNumber = (field: string): number | undefined => (/^\d{1,2}$/.test(field) ? Number(field) : undefined);
const readStep = (field: string): number | undefined => readNumber(/^\*\/(.+)$/.exec(field)?.[1] ?? "");

function isPossible({ repeat, every, minute, hour, weekday }: SimpleSchedule): boolean {
  if (repeat === "minutes") return evenMinutes.includes(every);
  if (repeat === "hours" && !evenHours.includes(every)) return false;
  return minute <= 59 && hour <= 23 && weekday <= 6;
}

export function describeCron(cron: string): string | undefined {
  const schedule = readCron(cron);
  if (!schedule) return undefined;
  const at = `at ${writeTime(schedule)}`;
  const { every } = schedule;
  switch (schedule.repeat) {
    case "minutes":
      return every === 1 ? "Every minute" : `Every ${every} minutes`;
    case "hours":
      return schedule.minute === 0
        ? `Every ${every} hours, on the hour`
        : `Every ${every} hours, ${schedule.minute} minutes past`;
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

const repeats = ["minutes", "hours", "hour", "day", "weekday", "week", "month"] as const;
