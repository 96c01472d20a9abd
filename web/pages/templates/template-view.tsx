import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { CanvasSkeleton } from "../../canvas/canvas-skeleton.tsx";
import { credentialTypesQuery, type NodeKind } from "../../catalog.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Page } from "../../parts/page.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { useOrganization } from "../../session.ts";
import type { ConnectedTypes } from "../servers/use-connected-types.ts";
import { AccountList } from "./account-list.tsx";
import type { DescribedTemplate } from "./describe-template.ts";
import { startsLooks } from "./starts-words.ts";
import { useTemplate } from "./use-template.ts";

// The canvas is large, and most people only look through the list.
const CanvasView = lazy(async () => ({ default: (await import("../../canvas/canvas-view.tsx")).CanvasView }));

type TemplateViewProps = {
  template: DescribedTemplate;
  kinds: Map<string, NodeKind>;
  connected: ConnectedTypes;
  onBack: () => void;
};

/** One template: what it looks like, what it needs, and the way to make a workflow of it. */
export function TemplateView({ template, kinds, connected, onBack }: TemplateViewProps) {
  const organization = useOrganization();
  const types = useQuery(credentialTypesQuery).data;
  const [selectedId, select] = useState<string>();
  const use = useTemplate(organization.id, template, kinds);
  const { words, Icon } = startsLooks[template.starts];
  return (
    <Page
      wide
      title={template.file.name}
      description={template.file.description}
      action={
        <div className="flex flex-wrap gap-2">
          <Button onClick={onBack}>
            <ArrowLeft className="size-4" aria-hidden="true" />
            All templates
          </Button>
          {organization.role !== "viewer" && (
            <Button look="primary" busy={use.isPending} onClick={() => use.mutate()}>
              Use this template
            </Button>
          )}
        </div>
      }
    >
      {use.isError && <ProblemNotice error={use.error} />}
      <div className="h-80 overflow-hidden rounded-xl border border-line bg-page">
        <Suspense fallback={<CanvasSkeleton />}>
          <CanvasView
            label={`Canvas of ${template.file.name}`}
            canvas={template.canvas}
            kinds={kinds}
            selectedId={selectedId}
            onSelect={select}
          />
        </Suspense>
      </div>
      <div className="grid gap-6 md:grid-cols-2">
        <Card title="What it needs">
          <AccountList organizationId={organization.id} template={template} connected={connected} types={types} />
        </Card>
        <Card title="What starts it">
          <p className="flex items-center gap-2 text-sm">
            <Icon className="size-4 shrink-0 text-accent" aria-hidden="true" />
            {words}.
          </p>
          <p className="mt-3 text-sm text-muted">
            You get a draft of your own, which is off. Look it through, enter your own values, try it, and publish it
            when it does what you want.
          </p>
        </Card>
      </div>
    </Page>
  );
}
