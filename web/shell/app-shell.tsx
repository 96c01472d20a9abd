import { useIsMutating } from "@tanstack/react-query";
import { Outlet, useLocation, useParams } from "@tanstack/react-router";
import { Menu as MenuIcon, PanelLeftClose, PanelLeftOpen, X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { PendingPage } from "../pages/pending.tsx";
import { Button } from "../parts/button.tsx";
import { InsideShell } from "../parts/front-page.tsx";
import { Mark } from "../parts/mark.tsx";
import { findHomeOrganization, signOutKey, useMe } from "../session.ts";
import { AccountMenu } from "./account-menu.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { Navigation } from "./navigation.tsx";
import { OrganizationSwitcher } from "./organization-switcher.tsx";
import { SearchEverywhere } from "./search/search-everywhere.tsx";
import { useRail } from "./use-rail.ts";

/** The frame around every page of a signed-in person: navigation beside it, or above it on a narrow screen. */
export function AppShell() {
  const me = useMe();
  const { organizationId } = useParams({ strict: false });
  const organization = me.organizations.find(({ id }) => id === organizationId) ?? findHomeOrganization(me);
  const { pathname } = useLocation();
  const [menuOpen, setMenuOpen] = useState(false);
  const main = useFocusOnNavigation(pathname);
  const rail = useRail();
  const { isRail } = rail;
  const isLeaving = useIsMutating({ mutationKey: signOutKey }) > 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a narrow screen shows the page again after every navigation.
  useEffect(() => setMenuOpen(false), [pathname]);

  return (
    <div
      className={`min-h-dvh md:grid ${isRail ? "md:grid-cols-[3.5rem_minmax(0,1fr)]" : "md:grid-cols-[15.5rem_minmax(0,1fr)]"}`}
    >
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:m-2 focus:rounded-md focus:bg-raised focus:px-4 focus:py-2"
      >
        Skip to the content
      </a>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu from wherever the focus is in it. */}
      <div
        inert={isLeaving}
        className="sticky top-0 z-30 flex max-h-dvh flex-col border-b border-line bg-surface md:h-dvh md:border-r md:border-b-0"
        onKeyDown={(event) => event.key === "Escape" && setMenuOpen(false)}
      >
        <ShellHead menuOpen={menuOpen} onMenu={() => setMenuOpen(!menuOpen)} isRail={isRail}>
          {organization && <SearchEverywhere organization={organization} />}
        </ShellHead>
        <div
          id="menu"
          className={`relative min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-3 pb-3 md:flex ${menuOpen ? "flex" : "hidden"} ${isRail ? "md:px-0" : ""}`}
        >
          <OrganizationSwitcher current={organization} isRail={isRail} />
          {organization && <Navigation organizationId={organization.id} isRail={isRail} />}
          <div className="mt-auto grid gap-2 border-t border-line pt-3">
            {rail.isOffered && <RailButton isRail={isRail} onPress={rail.toggle} />}
            <AccountMenu isRail={isRail} />
          </div>
        </div>
      </div>
      <main id="content" ref={main} tabIndex={-1} className="min-w-0 outline-none">
        <ConnectionNotice />
        <InsideShell value={true}>{isLeaving ? <PendingPage /> : <Outlet />}</InsideShell>
      </main>
    </div>
  );
}

type RailButtonProps = { isRail: boolean; onPress: () => void };

function RailButton({ isRail, onPress }: RailButtonProps) {
  const Icon = isRail ? PanelLeftOpen : PanelLeftClose;
  const label = isRail ? "Widen the menu" : "Narrow the menu";
  return (
    <Button
      look="bare"
      className={`max-md:hidden ${isRail ? "mx-auto size-10 px-0!" : "justify-start! px-2.5!"}`}
      aria-expanded={!isRail}
      aria-controls="menu"
      aria-keyshortcuts="["
      title={`${label} ([)`}
      onClick={onPress}
    >
      <Icon className="size-4 shrink-0" aria-hidden="true" />
      <span className={isRail ? "sr-only" : ""}>{label}</span>
    </Button>
  );
}

type ShellHeadProps = { menuOpen: boolean; onMenu: () => void; isRail: boolean; children: ReactNode };

function ShellHead({ menuOpen, onMenu, isRail, children }: ShellHeadProps) {
  return (
    <div className={`flex items-center gap-1 px-4 py-3 md:pt-5 ${isRail ? "md:flex-col md:gap-2 md:px-0" : ""}`}>
      <p className={`flex items-center gap-2.5 font-semibold tracking-tight ${isRail ? "max-md:mr-auto" : "mr-auto"}`}>
        <Mark />
        <span className={isRail ? "md:sr-only" : ""}>Switchyard</span>
      </p>
      {children}
      <Button look="bare" className="-mr-2 md:hidden" aria-expanded={menuOpen} aria-controls="menu" onClick={onMenu}>
        {menuOpen ? <X className="size-5" aria-hidden="true" /> : <MenuIcon className="size-5" aria-hidden="true" />}
        Menu
      </Button>
    </div>
  );
}

/** Moves the focus to the new page, as a full page load would, but not when the shell first appears. */
function useFocusOnNavigation(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    main.current?.focus();
  }, [pathname]);
  return main;
}
