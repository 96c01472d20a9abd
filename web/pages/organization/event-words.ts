import type { EventDelivery, EventEndpoint } from "../../../src/events/wire.ts";

type EventType = EventEndpoint["types"][number];

/** In the order in which they are offered. */
export const eventWords: Record<EventType, string> = {
  "run.failed": "A run failed",
  "run.succeeded": "A run succeeded",
  "run.cancelled": "A run was cancelled",
  "tool.failed": "A tool call failed",
  "credential.needs_reconnect": "A credential must be connected again",
};

export const eventTypes = Object.keys(eventWords) as EventType[];

export const describeEvent = (type: EventDelivery["type"]): string => (type === "test" ? "Test" : eventWords[type]);
