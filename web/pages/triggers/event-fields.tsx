import type { Trigger } from "../../../src/triggers/wire.ts";
import { TextField } from "../../parts/text-field.tsx";
import { FilterField } from "./filter-field.tsx";
import type { Sender } from "./senders.ts";

type EventFieldsProps = { sender: Sender; isOfPlace: boolean; trigger: Trigger | undefined };

/** Which of the events that are delivered start runs. */
export function EventFields({ sender: { title, provider }, isOfPlace, trigger }: EventFieldsProps) {
  return (
    <>
      {provider && (
        <>
          <TextField
            label="Events"
            name="events"
            required={false}
            autoComplete="off"
            placeholder="All"
            defaultValue={trigger?.events.join(", ")}
            hint={`Their names with commas in between, for example ${provider.eventExamples}. Empty: all of them.`}
          />
          <TextField
            label={isOfPlace ? "Repository" : provider.placeTitle}
            name="places"
            required={isOfPlace}
            autoComplete="off"
            placeholder={isOfPlace ? provider.placeExamples : "Anywhere"}
            defaultValue={trigger?.places.join(", ")}
            hint={
              isOfPlace
                ? "The one that gets the webhook, as owner/name. The account must be allowed to manage its webhooks."
                : `With commas in between, for example ${provider.placeExamples}. Empty: wherever ${title} delivers from.`
            }
          />
        </>
      )}
      <FilterField initial={trigger?.filter} example={'$trigger.payload.action = "opened"'} />
    </>
  );
}

/** What the fields say, as the API takes it. */
export const readEventFields = (field: (name: string) => string, { provider }: Sender) => ({
  ...(provider && { events: readList(field("events")), places: readList(field("places")) }),
  filter: field("filter").trim(),
});

const readList = (text: string): string[] => text.split(",").flatMap((entry) => entry.trim() || []);
