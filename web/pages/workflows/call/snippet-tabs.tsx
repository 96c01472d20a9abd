import { Tabs } from "radix-ui";
import { CopyBlock } from "../../../parts/copy-block.tsx";
import type { Call } from "./call.ts";
import { languages, writeSnippet } from "./write-snippet.ts";

export function SnippetTabs({ call }: { call: Call }) {
  return (
    <Tabs.Root defaultValue="curl" className="grid min-w-0 gap-2">
      <Tabs.List aria-label="Examples" className="flex flex-wrap gap-1">
        {languages.map(({ id, title }) => (
          <Tabs.Trigger
            key={id}
            value={id}
            className="rounded-md px-3 py-1.5 text-sm text-muted hover:bg-hover data-[state=active]:bg-hover data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {title}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {languages.map(({ id, title }) => (
        <Tabs.Content key={id} value={id} className="min-w-0">
          <CopyBlock label={title} text={writeSnippet(id, call)} />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
