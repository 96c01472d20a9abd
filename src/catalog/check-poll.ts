import type { Poll } from "../contract/poll.ts";
import type { Provider } from "../contract/provider.ts";
import { type JsonSchema, toJsonSchema } from "./json-schema.ts";

const dayInSeconds = 86_400;

/** What does not fit about something that a trigger can look for. */
export function checkPoll(poll: Poll, { polls }: Provider): string[] {
  const { id, title, description, everySeconds } = poll;
  const { least, usual } = everySeconds;
  const faults: string[] = [];
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(id) || id.length > 64)
    faults.push("its id is not 1-64 of a-z, 0-9 and single _");
  if (polls.filter((other) => other.id === id).length > 1) faults.push("its id exists more than once");
  if (title === "" || description === "") faults.push("it needs a title and a description");
  if (![least, usual].every(Number.isInteger) || least < 1 || usual < least || usual > dayInSeconds)
    faults.push(`its pauses must be whole seconds, least at least 1, usual no less and at most ${dayInSeconds}`);
  return [...faults, ...checkParameters(poll)].map((fault) => `the poll ${id}: ${fault}`);
}

function checkParameters({ parameters }: Poll): string[] {
  try {
    const { additionalProperties, properties = {} } = toJsonSchema(parameters, "input");
    const faults = additionalProperties === false ? [] : ["the parameters must be a strict object"];
    const bare = Object.entries(properties as Record<string, JsonSchema>).filter(([, { description }]) => !description);
    return [...faults, ...bare.map(([name]) => `the parameter ${name} needs a description`)];
  } catch (error) {
    return [`the parameters have no JSON Schema form: ${(error as Error).message}`];
  }
}
