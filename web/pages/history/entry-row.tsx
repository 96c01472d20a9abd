import type { ReactNode } from "react";
import { Duration, Elapsed } from "../../parts/duration.tsx";
import { Moment } from "../../parts/moment.tsx";
import { type AnyStatus, Status } from "../../parts/status.tsx";
import { wideCell } from "./entry-list.tsx";
import { Who } from "./who.tsx";

type EntryRowProps = {
  at: string;
  icon: ReactNode;
  /** The link that opens it; the whole row is its target. */
  link: ReactNode;
  detail: string | undefined;
  status: AnyStatus;
  who: Parameters<typeof Who>[0]["of"];
  waitedMs: number | null;
  tookMs: number | null;
  /** Since when it runs, if it does. */
  runningSince: string | null;
  isOpen?: boolean;
};

export function EntryRow({
  at,
  icon,
  link,
  detail,
  status,
  who,
  waitedMs,
  tookMs,
  runningSince,
  isOpen = false,
}: EntryRowProps) {
  return (
    <tr className={`relative ${isOpen ? "bg-accent-soft" : "hover:bg-hover"}`}>
      <td className={`${wideCell} pl-5! font-normal! text-muted`}>
        <Moment at={at} show="time" />
      </td>
      <td className="px-3 py-2.5 @max-3xl:pl-4">
        <span className="flex min-w-0 items-center gap-2.5">
          {icon}
          <span className="grid min-w-0">
            {link}
            {detail && (
              <span className="truncate text-xs text-muted" title={detail}>
                {detail}
              </span>
            )}
            <span className="flex min-w-0 gap-x-2 text-xs text-muted @3xl:hidden">
              <Moment at={at} show="time" />
              <Who of={who} />
            </span>
          </span>
        </span>
      </td>
      <td className="px-3 py-2.5">
        <Status status={status} />
      </td>
      <td className={`${wideCell} font-normal!`}>
        <Who of={who} />
      </td>
      <td className={`${wideCell} text-right font-normal! text-muted`}>
        {waitedMs !== null && <Duration ms={waitedMs} />}
      </td>
      <td className="px-3 py-2.5 pr-5 text-right text-muted @max-md:hidden">
        {runningSince ? <Elapsed since={runningSince} /> : tookMs !== null && <Duration ms={tookMs} />}
      </td>
    </tr>
  );
}

/** Stretches a link over its row. */
export const rowLink = "truncate font-medium text-ink after:absolute after:inset-0";
