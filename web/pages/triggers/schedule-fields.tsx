import { useState } from "react";
import type { Schedule } from "../../api/triggers.ts";
import { Field } from "../../parts/field.tsx";
import { evenHours, evenMinutes, readCron, type SimpleSchedule, weekdays, writeCron, writeTime } from "./cron-words.ts";
import { SchedulePreview } from "./schedule-preview.tsx";
import { listTimeZones } from "./time-zones.ts";

type ScheduleFieldsProps = { organizationId: string; schedule: Schedule; onChange: (schedule: Schedule) => void };

const atNine: SimpleSchedule = { repeat: "day", every: 1, minute: 0, hour: 9, weekday: 1, dayOfMonth: 1 };

/** When it fires: in a few words, or as cron for everything else. */
export function ScheduleFields({ organizationId, schedule, onChange }: ScheduleFieldsProps) {
  const [isCustom, setIsCustom] = useState(readCron(schedule.cron) === undefined);
  const simple = readCron(schedule.cron) ?? atNine;
  const change = (part: Partial<SimpleSchedule>) => onChange({ ...schedule, cron: writeCron({ ...simple, ...part }) });

  function choose(repeat: string): void {
    const known = repeats.find(({ value }) => value === repeat);
    setIsCustom(!known);
    if (known) change({ repeat: known.value, every: firstPauses[known.value] ?? 1 });
  }

  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field
          label="Repeat"
          name="repeat"
          control={(control) => (
            <select
              {...control}
              value={isCustom ? "custom" : simple.repeat}
              onChange={(event) => choose(event.target.value)}
            >
              {repeats.map(({ value, words }) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
              <option value="custom">Custom (cron)</option>
            </select>
          )}
        />
        {isCustom ? (
          <Field
            label="Cron"
            name="cron"
            hint="Minute, hour, day of month, month, day of week."
            control={(control) => (
              <input
                {...control}
                type="text"
                required
                maxLength={200}
                autoComplete="off"
                spellCheck={false}
                value={schedule.cron}
                onChange={(event) => onChange({ ...schedule, cron: event.target.value })}
                className={`${control.className} font-mono`}
              />
            )}
          />
        ) : (
          <SimpleFields simple={simple} onChange={change} />
        )}
      </div>
      <Field
        label="Time zone"
        name="timeZone"
        control={(control) => (
          <select
            {...control}
            value={schedule.timeZone}
            onChange={(event) => onChange({ ...schedule, timeZone: event.target.value })}
          >
            {listTimeZones(schedule.timeZone).map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </select>
        )}
      />
      <SchedulePreview organizationId={organizationId} schedule={schedule} />
    </>
  );
}

function SimpleFields({ simple, onChange }: SimpleFieldsProps) {
  if (simple.repeat === "minutes" || simple.repeat === "hours")
    return <PauseFields simple={simple} onChange={onChange} />;
  if (simple.repeat === "hour") return <MinuteField simple={simple} onChange={onChange} />;
  return <TimeFields simple={simple} onChange={onChange} />;
}

type SimpleFieldsProps = { simple: SimpleSchedule; onChange: (part: Partial<SimpleSchedule>) => void };

/** A choice, so that no pause can be entered that a cron cannot keep. */
function PauseFields({ simple, onChange }: SimpleFieldsProps) {
  const isHours = simple.repeat === "hours";
  return (
    <>
      <Field
        label={isHours ? "Hours between" : "Minutes between"}
        name="every"
        hint={isHours ? "What divides a day evenly." : "What divides an hour evenly."}
        control={(control) => (
          <select
            {...control}
            value={simple.every}
            onChange={(event) => onChange({ every: Number(event.target.value) })}
          >
            {(isHours ? evenHours : evenMinutes).map((every) => (
              <option key={every} value={every}>
                {every}
              </option>
            ))}
          </select>
        )}
      />
      {isHours && <MinuteField simple={simple} onChange={onChange} />}
    </>
  );
}

function MinuteField({ simple, onChange }: SimpleFieldsProps) {
  return (
    <NumberField
      label="Minutes past the hour"
      value={simple.minute}
      min={0}
      max={59}
      onChange={(minute) => onChange({ minute })}
    />
  );
}

function TimeFields({ simple, onChange }: SimpleFieldsProps) {
  return (
    <>
      <Field
        label="At"
        name="time"
        control={(control) => (
          <input
            {...control}
            type="time"
            required
            value={writeTime(simple)}
            onChange={(event) => {
              const [hour, minute] = event.target.value.split(":").map(Number);
              if (hour !== undefined && minute !== undefined) onChange({ hour, minute });
            }}
          />
        )}
      />
      {simple.repeat === "week" && (
        <Field
          label="On"
          name="weekday"
          control={(control) => (
            <select
              {...control}
              value={simple.weekday}
              onChange={(event) => onChange({ weekday: Number(event.target.value) })}
            >
              {weekdays.map((name, index) => (
                <option key={name} value={index}>
                  {name}
                </option>
              ))}
            </select>
          )}
        />
      )}
      {simple.repeat === "month" && (
        <NumberField
          label="Day of the month"
          hint="Months without this day are left out."
          value={simple.dayOfMonth}
          min={1}
          max={31}
          onChange={(dayOfMonth) => onChange({ dayOfMonth })}
        />
      )}
    </>
  );
}

type NumberFieldProps = {
  label: string;
  hint?: string;
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
};

function NumberField({ label, hint, value, min, max, onChange }: NumberFieldProps) {
  return (
    <Field
      label={label}
      name="number"
      {...(hint && { hint })}
      control={(control) => (
        <input
          {...control}
          type="number"
          required
          min={min}
          max={max}
          value={value}
          onChange={(event) => {
            const { valueAsNumber } = event.target;
            if (Number.isInteger(valueAsNumber) && valueAsNumber >= min && valueAsNumber <= max)
              onChange(valueAsNumber);
          }}
        />
      )}
    />
  );
}

/** The pause that a choice begins with. */
const firstPauses: Partial<Record<SimpleSchedule["repeat"], number>> = { minutes: 15, hours: 2 };

const repeats = [
  { value: "minutes", words: "Every few minutes" },
  { value: "hours", words: "Every few hours" },
  { value: "hour", words: "Every hour" },
  { value: "day", words: "Every day" },
  { value: "weekday", words: "Monday to Friday" },
  { value: "week", words: "Every week" },
  { value: "month", words: "Every month" },
] as const;
