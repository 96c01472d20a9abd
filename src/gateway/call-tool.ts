import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import { type Node, readInput } from "../catalog/catalog.ts";
import type { Execute } from "../execution/execute.ts";
import type { Prepare } from "../execution/prepare.ts";
import type { Slots } from "../execution/slots.ts";
import type { Recorder } from "../history/record.ts";
import type { CallTool } from "./mcp-call.ts";
import type { PlatformTool } from "./platform-tools/define-platform-tool.ts";
import { createRecordedSteps, describeCall } from "./record-call.ts";

type Options = { prepare: Prepare; execute: Execute; slots: Pick<Slots, "acquire">; recorder: Recorder; limitMs: number };

/**
 * A provider's tool. What can be refused is refused before it takes a slot; the row that says "running" is committed before anything is
 * decrypted, and the row that says how it ended before the answer leaves.
 */
export function createCallNode({ prepare, execute, slots, recorder, limitMs }: Options): CallTool<Node> {
  const { orRefused, run } = createRecordedSteps(recorder);
  return async (call) => {
    const { tool, arguments: given, fault, caller, signal, onProgress } = call;
    const { credentials: references, ...parameters } = given;
    const { organizationId } = caller;
    const record = describeCall(call, { id: newId(), source: "mcp", parameters, references });

    const prepared = await orRefused(record, async () => {
      if (fault) throw fault;
      return await prepare({ organizationId, node: tool.target, parameters, references });
    });
    const onPosition = (position: number) => onProgress?.({ message: `waiting, ${position} ahead` });
    const slot = await orRefused(record, () => slots.acquire(organizationId, { signal, onPosition }));
    try {
      onProgress?.({ message: "running" });
      const circumstances = { signal, limitMs, idempotencyKey: record.id, beforeStep: slot.assertHeld };
      const execution = () => execute(prepared, circumstances).finally(slot.release);
      return { items: await run({ ...record, queueMs: slot.queueMs }, execution) };
    } finally {
      slot.release();
    }
  };
}

/** A tool about the caller's own account, which only an OAuth connection has. It takes no slot. */
export function createCallPlatformTool(recorder: Recorder): CallTool<PlatformTool> {
  const { orRefused, run } = createRecordedSteps(recorder);
  return async (call) => {
    const { tool, arguments: parameters, fault, caller } = call;
    const { target } = tool;
    const record = describeCall(call, { id: newId(), source: "platform", parameters, references: {} });
    const { input, userId } = await orRefused(record, async () => {
      if (fault) throw fault;
      if (!("connection" in caller)) throw new Refusal("api_key_not_accepted", "This server takes no API keys. Connect with OAuth.");
      return { input: readInput(target, parameters), userId: caller.connection.userId };
    });
    const { organizationId } = caller;
    return { output: await run(record, async () => target.output.parse(await target.run({ input, organizationId, userId }))) };
  };
}
