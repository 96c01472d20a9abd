import { useQuery } from "@tanstack/react-query";
import type { PollEntry } from "../../../src/catalog/wire.ts";
import { pollsQuery } from "../../catalog.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";

type PollSourceFieldsProps = {
  provider: string;
  poll: PollEntry | undefined;
  onChange: (source: { provider: string; event: string }) => void;
};

/** Which service is polled, and for what. */
export function PollSourceFields({ provider, poll, onChange }: PollSourceFieldsProps) {
  const polls = useQuery(pollsQuery);
  if (polls.isError)
    return (
      <ProblemNotice error={polls.error} action={<Button onClick={() => void polls.refetch()}>Try again</Button>} />
    );
  const services = new Map(polls.data?.map((entry) => [entry.provider.id, entry.provider.title]));
  const events = polls.data?.filter((entry) => entry.provider.id === provider) ?? [];
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Field
        label="Service"
        name="provider"
        control={(control) => (
          <select
            {...control}
            required
            value={provider}
            onChange={({ target }) =>
              onChange({
                provider: target.value,
                event: polls.data?.find((entry) => entry.provider.id === target.value)?.id ?? "",
              })
            }
          >
            <option value="" disabled>
              {polls.isPending ? "Loading the services" : "Choose a service"}
            </option>
            {[...services]
              .sort(([, one], [, other]) => one.localeCompare(other))
              .map(([id, title]) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
          </select>
        )}
      />
      {poll && (
        <Field
          label="Check for"
          name="event"
          hint={poll.description}
          control={(control) => (
            <select
              {...control}
              value={poll.id}
              onChange={(event) => onChange({ provider, event: event.target.value })}
            >
              {events.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          )}
        />
      )}
    </div>
  );
}
