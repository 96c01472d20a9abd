import {
  BookOpen,
  Clock,
  FileUp,
  KeyRound,
  LockKeyhole,
  Moon,
  Plus,
  Sun,
  UserPlus,
  UserRound,
  Variable,
} from "lucide-react";
import { type MyOrganization, managesMembers } from "../../session.ts";
import type { Theme } from "../../theme.ts";
import type { NavigationEntry } from "../navigation.tsx";
import type { Place } from "./place.ts";

type Page = { path: string; entry: NavigationEntry };

/** By the end of the address. */
const synonymsOfPages: Record<string, string[]> = {
  "/": ["start", "dashboard", "overview"],
  "/workflows": ["flows", "automations", "scenarios"],
  "/triggers": ["schedules", "cron", "webhooks", "polls"],
  "/credentials": ["accounts", "connections", "secrets", "tokens", "passwords"],
  "/history": ["runs", "executions", "calls", "logs"],
  "/servers": ["tools", "mcp", "apps", "integrations"],
  "/api-keys": ["tokens", "access"],
  "/connections": ["clients", "oauth", "claude", "cursor"],
  "/doctor": ["check", "diagnose", "test the connection"],
  "/organization": ["usage", "limits", "plan", "events", "rename"],
  "/members": ["people", "users", "team", "invite", "roles"],
};

/** Every page of the menu, and parts of pages that people look for. */
export function listPages(pages: Page[], { id: organizationId }: MyOrganization): Place[] {
  const base = `/o/${organizationId}`;
  const ofMenu = pages.map(({ path, entry }): Place => {
    const end = path.replace("/o/$organizationId", "") || "/";
    return {
      id: `page:${end}`,
      kind: "page",
      title: entry.label,
      detail: entry.group ?? "",
      synonyms: synonymsOfPages[end] ?? [],
      Icon: entry.Icon,
      open: base + (end === "/" ? "" : end),
    };
  });
  const more: Place[] = [
    {
      id: "page:variables",
      kind: "page",
      title: "Variables",
      detail: "Usage and settings",
      synonyms: ["$vars", "constants", "environment", "settings"],
      Icon: Variable,
      open: `${base}/organization?tab=variables`,
    },
    {
      id: "page:account",
      kind: "page",
      title: "Your account",
      detail: "Name, password, sessions",
      synonyms: ["profile", "password", "sessions", "me"],
      Icon: UserRound,
      open: "/account",
    },
    {
      id: "page:docs",
      kind: "page",
      title: "API documentation",
      detail: "OpenAPI",
      synonyms: ["rest", "openapi", "swagger", "reference"],
      Icon: BookOpen,
      open: () => window.open("/docs", "_blank", "noopener"),
    },
  ];
  return [...ofMenu, ...more];
}

type Doing = { organization: MyOrganization; chooseTheme: (theme: Theme) => void };

/** What a person of this role may do. Whatever changes something for others opens its own dialog first. */
export function listActions({ organization: { id, role }, chooseTheme }: Doing): Place[] {
  const base = `/o/${id}`;
  const action = (title: string, place: Pick<Place, "Icon" | "open" | "synonyms">, detail = ""): Place => ({
    id: `action:${title}`,
    kind: "action",
    title,
    detail,
    ...place,
  });
  const building = [
    action("New workflow", { Icon: Plus, open: `${base}/workflows?create=new`, synonyms: ["create", "add", "make"] }),
    action("Connect an account", {
      Icon: LockKeyhole,
      open: `${base}/credentials?create=any`,
      synonyms: ["new credential", "add credential", "create", "oauth"],
    }),
    action("New trigger", {
      Icon: Clock,
      open: `${base}/triggers?create=schedule`,
      synonyms: ["create", "schedule", "webhook", "cron"],
    }),
    action("Import a workflow", {
      Icon: FileUp,
      open: `${base}/workflows?create=file`,
      synonyms: ["upload", "file", "json"],
    }),
    action("New variable", {
      Icon: Variable,
      open: `${base}/organization?tab=variables&create=variable`,
      synonyms: ["create", "$vars", "constant"],
    }),
  ];
  const managing = [
    action("New API key", {
      Icon: KeyRound,
      open: `${base}/api-keys?create=key`,
      synonyms: ["create", "token", "access"],
    }),
    action("Invite a colleague", { Icon: UserPlus, open: `${base}/members`, synonyms: ["add member", "new user"] }),
  ];
  const looks = [
    action("Turn dark", { Icon: Moon, open: () => chooseTheme("dark"), synonyms: ["theme", "night", "mode"] }),
    action("Turn light", { Icon: Sun, open: () => chooseTheme("light"), synonyms: ["theme", "day", "mode"] }),
  ];
  return [...(role === "viewer" ? [] : building), ...(managesMembers(role) ? managing : []), ...looks];
}
