import type { NodeKind } from "../../catalog.ts";
import type { Template } from "./templates.ts";

export type Service = { id: string; title: string };

export type DescribedTemplate = Template & {
  /** Each once, that of its trigger first, then in the order of the canvas. */
  services: Service[];
  /** Types of the accounts that it needs. */
  accounts: string[];
  needsModel: boolean;
};

type Kinds = ReadonlyMap<string, Pick<NodeKind, "provider" | "credentials" | "worksWithoutAccount">>;

/** With what its nodes say about it. The service of the system itself is none that people look for. */
export function describeTemplate(template: Template, kinds: Kinds): DescribedTemplate {
  const used = template.canvas.nodes.map(({ nodeId }) => kinds.get(nodeId)).filter((kind) => kind !== undefined);
  const providers = [findProvider(kinds, template.sender), ...used.map(({ provider }) => provider)];
  const services = new Map(
    providers.flatMap((provider) => (provider && provider.id !== "system" ? [[provider.id, provider] as const] : [])),
  );
  const accounts = used.flatMap(({ credentials, worksWithoutAccount }) => (worksWithoutAccount ? [] : credentials));
  return {
    ...template,
    services: [...services.values()],
    accounts: [...new Set(accounts)],
    needsModel: template.canvas.nodes.some(({ nodeId }) => nodeId === "ai_answer"),
  };
}

const findProvider = (kinds: Kinds, id: string | undefined): Service | null =>
  [...kinds.values()].find(({ provider }) => provider?.id === id)?.provider ?? null;

/** Those with every word of the search in their texts or services, and of this service where one is chosen. */
export function searchTemplates(
  templates: readonly DescribedTemplate[],
  { search, service }: { search: string; service: string },
): DescribedTemplate[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return templates.filter((template) => {
    const { file, words: others, services, starts } = template;
    const texts = [
      file.name,
      file.description ?? "",
      starts,
      ...others,
      ...services.flatMap(({ id, title }) => [id, title]),
    ];
    const text = texts.join("\n").toLowerCase();
    return words.every((word) => text.includes(word)) && (service === "" || services.some(({ id }) => id === service));
  });
}

/** The services of all of them, by name. */
export function listServices(templates: readonly DescribedTemplate[]): Service[] {
  const services = new Map(templates.flatMap((template) => template.services.map((service) => [service.id, service])));
  return [...services.values()].sort((one, other) => one.title.localeCompare(other.title, "en"));
}
