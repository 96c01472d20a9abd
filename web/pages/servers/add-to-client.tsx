import { Link } from "@tanstack/react-router";
import { Tabs } from "radix-ui";
import { useId, useState } from "react";
import { CopyBlock } from "../../parts/copy-block.tsx";
import { type MyOrganization, managesMembers } from "../../session.ts";
import { type ClientId, clients, keyPlaceholder, writeSnippet } from "./client-snippets.ts";

type AddToClientProps = {
  organization: MyOrganization;
  server: { id: string; url: string; usesOAuthOnly: boolean };
  client: ClientId;
  onClient: (client: ClientId) => void;
  /** A key that was made just now and is still known here. */
  keyText?: string | undefined;
};

/** What to enter where, for each client. A key is only ever filled in while the page that made it is open. */
export function AddToClient({ organization, server, client, onClient, keyText }: AddToClientProps) {
  const manages = managesMembers(organization.role);
  const [withOAuth, setWithOAuth] = useState(server.usesOAuthOnly || !(manages || keyText));
  const key = withOAuth || server.usesOAuthOnly ? null : (keyText ?? keyPlaceholder);
  return (
    <Tabs.Root
      value={client}
      onValueChange={(value) => onClient(clients.find(({ id }) => id === value)?.id ?? client)}
      className="grid grid-cols-1 gap-4"
    >
      <Tabs.List aria-label="Client" className="flex flex-wrap gap-1">
        {clients.map(({ id, title }) => (
          <Tabs.Trigger
            key={id}
            value={id}
            className="min-h-9 rounded-md px-3 text-sm font-medium text-muted hover:bg-hover hover:text-ink data-[state=active]:bg-accent-soft data-[state=active]:text-accent"
          >
            {title}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {!server.usesOAuthOnly && <SignInChoice withOAuth={withOAuth} onChange={setWithOAuth} />}
      {clients.map(({ id }) => (
        <Tabs.Content key={id} value={id} className="grid grid-cols-1 gap-3">
          <ClientSnippet client={id} target={{ id: server.id, url: server.url, key }} />
        </Tabs.Content>
      ))}
      <AfterWords
        organizationId={organization.id}
        serverId={server.id}
        needsKey={key === keyPlaceholder}
        manages={manages}
      />
    </Tabs.Root>
  );
}

function ClientSnippet({ client, target }: { client: ClientId; target: Parameters<typeof writeSnippet>[1] }) {
  const { place, text, afterwards } = writeSnippet(client, target);
  return (
    <>
      <CopyBlock label={place} text={text} />
      <p className="text-sm text-muted">{afterwards}</p>
    </>
  );
}

function SignInChoice({ withOAuth, onChange }: { withOAuth: boolean; onChange: (withOAuth: boolean) => void }) {
  const name = useId();
  return (
    <fieldset className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
      <legend className="sr-only">How the client signs in</legend>
      <label className="flex cursor-pointer items-center gap-2">
        <input
          type="radio"
          name={name}
          className="size-4 accent-accent"
          checked={!withOAuth}
          onChange={() => onChange(false)}
        />
        With an API key
      </label>
      <label className="flex cursor-pointer items-center gap-2">
        <input
          type="radio"
          name={name}
          className="size-4 accent-accent"
          checked={withOAuth}
          onChange={() => onChange(true)}
        />
        With OAuth, signing in as you
      </label>
    </fieldset>
  );
}

type AfterWordsProps = { organizationId: string; serverId: string; needsKey: boolean; manages: boolean };

function AfterWords({ organizationId, serverId, needsKey, manages }: AfterWordsProps) {
  return (
    <p className="text-sm text-muted">
      {needsKey && (
        <>
          Put your key in place of {keyPlaceholder}.{" "}
          {manages && (
            <>
              <Link
                to="/o/$organizationId/api-keys"
                params={{ organizationId }}
                search={{ create: "key" }}
                className={linkLook}
              >
                Create a key
              </Link>
              .{" "}
            </>
          )}
        </>
      )}
      It does not connect?{" "}
      <Link
        to="/o/$organizationId/doctor"
        params={{ organizationId }}
        search={{ server: serverId }}
        className={linkLook}
      >
        Find out where it stops
      </Link>
    </p>
  );
}

const linkLook = "text-accent underline underline-offset-4";
