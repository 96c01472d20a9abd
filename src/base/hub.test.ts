import { expect, test } from "vitest";
import { createHub } from "./hub.ts";

const rethrow = (error: unknown): never => {
  throw error;
};

test("delivers an event to every subscriber of its topic, in order, and to nobody else", () => {
  const hub = createHub<number>({ onError: rethrow });
  const heard: string[] = [];
  hub.subscribe("a", (event) => heard.push(`first ${event}`));
  hub.subscribe("a", (event) => heard.push(`second ${event}`));
  hub.subscribe("b", (event) => heard.push(`other ${event}`));
  hub.publish("a", 7);
  hub.publish("nobody", 8);
  expect(heard).toEqual(["first 7", "second 7"]);
});

test("a throwing listener is reported and does not stop the others", () => {
  const errors: unknown[] = [];
  const hub = createHub<string>({ onError: (error) => errors.push(error) });
  const heard: string[] = [];
  const fault = new Error("listener broke");
  hub.subscribe("a", () => rethrow(fault));
  hub.subscribe("a", (event) => heard.push(event));
  hub.publish("a", "still here");
  expect(heard).toEqual(["still here"]);
  expect(errors).toEqual([fault]);
});

test("one function subscribed twice leaves one subscription at a time", () => {
  const hub = createHub<string>({ onError: rethrow });
  const heard: string[] = [];
  const listener = (event: string): void => void heard.push(event);
  const leaveFirst = hub.subscribe("a", listener);
  hub.subscribe("a", listener);
  expect(hub.subscriberCount("a")).toBe(2);
  leaveFirst();
  leaveFirst();
  expect(hub.subscriberCount("a")).toBe(1);
  hub.publish("a", "once");
  expect(heard).toEqual(["once"]);
});

test("a listener that left while an event is being delivered does not hear it, one that joined hears the next", () => {
  const hub = createHub<number>({ onError: rethrow });
  const heard: string[] = [];
  hub.subscribe("a", () => {
    leave();
    if (hub.subscriberCount("a") === 1) hub.subscribe("a", (event) => heard.push(`joined ${event}`));
  });
  const leave = hub.subscribe("a", (event) => heard.push(`left ${event}`));
  hub.publish("a", 1);
  expect(heard).toEqual([]);
  hub.publish("a", 2);
  expect(heard).toEqual(["joined 2"]);
});

test("a stale unsubscribe does not silence later subscribers of the topic", () => {
  const hub = createHub<number>({ onError: rethrow });
  const leave = hub.subscribe("a", () => {});
  leave();
  expect(hub.subscriberCount("a")).toBe(0);
  hub.subscribe("a", () => {});
  leave();
  expect(hub.subscriberCount("a")).toBe(1);
});
