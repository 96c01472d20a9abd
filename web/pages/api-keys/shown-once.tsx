import type { ApiKeyWithText } from "../../../src/identity/wire.ts";
import { Button } from "../../parts/button.tsx";
import { CopyBlock } from "../../parts/copy-block.tsx";
import { Notice } from "../../parts/notice.tsx";
import { useOrganizationServers } from "../servers/organization-servers.ts";
import { KeyTextField } from "./key-text-field.tsx";
import { writeFirstRequest } from "./write-first-request.ts";

type ShownOnceProps = { created: ApiKeyWithText; organizationId: string; warned: boolean; onDone: () => void };

/** The text of a key, this once, and a first request with it. */
export function ShownOnce({ created, organizationId, warned, onDone }: ShownOnceProps) {
  const { servers } = useOrganizationServers(organizationId);
  return (
    <div className="grid grid-cols-1 gap-4">
      <KeyTextField text={created.key} />
      <Notice kind="warning">
        Copy it now: it is shown only this once. Whoever has it can use it, so keep it where you keep passwords.
      </Notice>
      {servers && (
        <CopyBlock
          label="A first request, for a terminal"
          text={writeFirstRequest(created, servers, location.origin)}
        />
      )}
      {warned && (
        <Notice kind="problem">The key is gone once this is closed. Close it again to go on without a copy.</Notice>
      )}
      <Button look="primary" className="justify-self-start" onClick={onDone}>
        I have copied it
      </Button>
    </div>
  );
}
