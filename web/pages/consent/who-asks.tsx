import type { ReactNode } from "react";
import type { ConsentRequest } from "../../../src/oauth/wire.ts";
import { Notice } from "../../parts/notice.tsx";

/** What is known about the application, and what is not. */
export function WhoAsks({ client, server }: Pick<ConsentRequest, "client" | "server">) {
  return (
    <>
      <dl className="grid gap-3 rounded-lg bg-page p-4 text-sm">
        <Fact term="Application">
          <span className="block text-base font-semibold">{client.name}</span>
          {client.isSelfRegistered && (
            <span className="text-warning">Self-registered: nobody has verified this name.</span>
          )}
        </Fact>
        {client.host && <Fact term="Vouched for by">{client.host}</Fact>}
        <Fact term="The answer goes to">{describeTarget(client)}</Fact>
        {server && <Fact term="Server">{server.title}</Fact>}
      </dl>
      {client.isLoopback && (
        <Notice kind="warning">
          It runs on your own computer, where any program can ask in any name. Go on only if you have just started it
          yourself.
        </Notice>
      )}
    </>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <dt className="text-xs text-muted">{term}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

function describeTarget({ redirectHost, isLoopback }: ConsentRequest["client"]): string {
  if (isLoopback) return `${redirectHost}, on this computer`;
  return redirectHost.endsWith(":") ? `a program on this computer that opens ${redirectHost} links` : redirectHost;
}
