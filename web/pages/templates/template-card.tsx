import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleDashed } from "lucide-react";
import type { ConnectedTypes } from "../servers/use-connected-types.ts";
import { works } from "../servers/use-connected-types.ts";
import type { DescribedTemplate } from "./describe-template.ts";
import { startsLooks } from "./starts-words.ts";
import { TemplateIcons } from "./template-icons.tsx";

type TemplateCardProps = { organizationId: string; template: DescribedTemplate; connected: ConnectedTypes };

/** The whole card is the link. */
export function TemplateCard({ organizationId, template, connected }: TemplateCardProps) {
  const { file, services, starts } = template;
  const { words, Icon } = startsLooks[starts];
  return (
    <li className="relative flex flex-col gap-3 rounded-xl border border-line bg-surface p-5 focus-within:border-accent hover:border-accent">
      <TemplateIcons template={template} />
      <div className="grid gap-1">
        <h2 className="font-semibold">
          <Link
            to="/o/$organizationId/workflows/templates"
            params={{ organizationId }}
            search={(before) => ({ ...before, template: template.id })}
            className="outline-none after:absolute after:inset-0 after:rounded-xl focus-visible:after:outline-2 focus-visible:after:outline-accent"
          >
            {file.name}
          </Link>
        </h2>
        {services.length > 0 && <p className="text-xs text-muted">{services.map(({ title }) => title).join(" · ")}</p>}
      </div>
      <p className="line-clamp-3 text-sm text-muted">{file.description}</p>
      <div className="mt-auto grid gap-1.5 pt-1 text-xs font-medium">
        <p className="flex items-center gap-1.5 text-muted">
          <Icon className="size-3.5 shrink-0" aria-hidden="true" />
          {words}
        </p>
        <AccountLine template={template} connected={connected} />
      </div>
    </li>
  );
}

function AccountLine({ template, connected }: { template: DescribedTemplate; connected: ConnectedTypes }) {
  const { accounts, needsModel } = template;
  const model = needsModel ? " Needs a language model." : "";
  if (accounts.length === 0)
    return <Line isReady={!needsModel} text={needsModel ? "Needs a language model" : "Runs as it is"} />;
  if (!connected) return <Line isReady={false} text="…" />;
  const there = accounts.filter((type) => connected.get(type)?.accounts.some(works)).length;
  if (there === accounts.length)
    return <Line isReady text={`${there === 1 ? "Its account is" : "All its accounts are"} connected.${model}`} />;
  const words =
    accounts.length === 1 ? "Its account is not connected." : `${there} of ${accounts.length} accounts connected.`;
  return <Line isReady={false} text={`${words}${model}`} />;
}

function Line({ isReady, text }: { isReady: boolean; text: string }) {
  const Icon = isReady ? CircleCheck : CircleDashed;
  return (
    <p className={`flex items-center gap-1.5 ${isReady ? "text-success" : "text-muted"}`}>
      <Icon className="size-3.5 shrink-0" aria-hidden="true" />
      {text}
    </p>
  );
}
