import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { nodeKindsQuery } from "../catalog.ts";
import { Button } from "../parts/button.tsx";
import { Card } from "../parts/card.tsx";
import { controlLook } from "../parts/field.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../parts/skeleton.tsx";
import { useOrganization } from "../session.ts";
import { useConnectedTypes } from "./servers/use-connected-types.ts";
import { describeTemplate, listServices, type Service, searchTemplates } from "./templates/describe-template.ts";
import { TemplateCard } from "./templates/template-card.tsx";
import { TemplateView } from "./templates/template-view.tsx";
import { templates } from "./templates/templates.ts";
import { SearchField } from "./workflows/search-field.tsx";

/** Workflows to begin with. `template`: the one that is looked at. */
export function TemplatesPage() {
  const { id: organizationId } = useOrganization();
  const {
    search = "",
    service = "",
    template,
  } = useSearch({ from: "/signed-in/o/$organizationId/workflows/templates" });
  const kinds = useQuery(nodeKindsQuery);
  const connected = useConnectedTypes(organizationId);
  const show = useShow();
  const described = kinds.data && templates.map((one) => describeTemplate(one, kinds.data));
  const chosen = described?.find(({ id }) => id === template);
  if (chosen && kinds.data)
    return (
      <TemplateView template={chosen} kinds={kinds.data} connected={connected} onBack={() => show({ template: "" })} />
    );
  const found = described && searchTemplates(described, { search, service });
  return (
    <Page wide title="Templates" description="Workflows to begin with. Each runs once you have connected its accounts.">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SearchField
          label="Search templates"
          placeholder="What it does, or a service"
          value={search}
          onChange={(text) => show({ search: text })}
        />
        <ServiceField
          services={listServices(described ?? [])}
          value={service}
          onChange={(id) => show({ service: id })}
        />
        <p role="status" className="text-sm text-muted">
          {found && (found.length === 1 ? "1 template" : `${found.length} templates`)}
        </p>
      </div>
      {kinds.isError && (
        <ProblemNotice error={kinds.error} action={<Button onClick={() => void kinds.refetch()}>Try again</Button>} />
      )}
      {kinds.isPending && <CardsSkeleton />}
      {found?.length === 0 && (
        <Card
          title="Nothing found"
          description="No template fits this search and service."
          action={<Button onClick={() => show({ search: "", service: "" })}>Show all</Button>}
        />
      )}
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {found?.map((one) => (
          <TemplateCard key={one.id} organizationId={organizationId} template={one} connected={connected} />
        ))}
      </ul>
    </Page>
  );
}

/** Changes what the address says about this page. */
function useShow() {
  const navigate = useNavigate({ from: "/o/$organizationId/workflows/templates" });
  type Shown = { search?: string; service?: string; template?: string };
  return (change: Shown) =>
    void navigate({
      search: (before: Shown) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value)) as Shown,
      replace: "search" in change,
    });
}

type ServiceFieldProps = { services: Service[]; value: string; onChange: (id: string) => void };

function ServiceField({ services, value, onChange }: ServiceFieldProps) {
  return (
    <label className="flex w-full items-center gap-2 text-sm sm:w-auto">
      <span className="text-muted">Service</span>
      <select value={value} onChange={(event) => onChange(event.target.value)} className={`${controlLook} sm:w-48`}>
        <option value="">All</option>
        {services.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function CardsSkeleton() {
  return (
    <Loading what="the templates">
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {Array.from({ length: 9 }, (_, index) => index).map((index) => (
          <Skeleton key={index} className="h-44" />
        ))}
      </div>
    </Loading>
  );
}
