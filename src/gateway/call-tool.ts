import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { RecordedSteps } from "../calls/recorded-steps.ts";
import type { RunRecordedCall } from "../calls/run-recorded-call.ts";
import { type CatalogAction, readInput } from "../catalog/catalog.ts";
import { runAsPage } from "../storage/page-work.ts";
import { describeCall } from "./describe-call.ts";
import type { CallTool } from "./mcp-call.ts";
import type { PlatformTool } from "./platform-tools/define-platform-tool.ts";

/** A provider's tool. */
export function createCallAction(runRecordedCall: RunRecordedCall): CallTool<CatalogAction> {
  return async (call) => {
    const { tool, arguments: given, fault, signal, onProgress, trace } = call;
    const { credentials: references, ...parameters } = given;
    const arrival = describeCall(call, { id: newId(), source: "mcp", parameters });
    const items = await runRecordedCall({ action: tool.target, arrival, references, fault, signal, onProgress, trace });
    return { items, recordId: arrival.id, findBytes: tool.target.findBytes };
  };
}

/** A tool about the caller's own account, which only an OAuth connection has. It takes no slot. */
export function createCallPlatformTool({ orRefused, run }: RecordedSteps): CallTool<PlatformTool> {
  return async (call) => {
    const { tool, arguments: parameters, fault, caller } = call;
    const { target } = tool;
    const record = describeCall(call, { id: newId(), source: "platform", parameters });
    const { input, userId } = await orRefused(record, async () => {
      if (fault) throw fault;
      if (!("connection" in caller))
        throw new Refusal("api_key_not_accepted", "This server takes no API keys. Connect with OAuth.");
      return { input: readInput(target, parameters), userId: caller.connection.userId };
    });
    const { organizationId } = caller;
    const work = async () => target.output.parse(await target.run({ input, organizationId, userId }));
    const output = await run(record, () => (target.hints.readOnly ? runAsPage(work) : work()));
    return { output, recordId: record.id };
  };
}
