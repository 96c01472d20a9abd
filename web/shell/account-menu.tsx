import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ChevronsUpDown, LogOut, Monitor, Moon, Sun, UserRound } from "lucide-react";
import type { ReactNode } from "react";
import { api } from "../api.ts";
import { Avatar } from "../parts/avatar.tsx";
import { Menu, MenuChoice, MenuItem, MenuLine } from "../parts/menu.tsx";
import { ProblemNotice } from "../parts/problem-notice.tsx";
import { signOutKey, useMe } from "../session.ts";
import { type Theme, themes, useTheme } from "../theme.ts";

export function AccountMenu({ isRail }: { isRail: boolean }) {
  const { user } = useMe();
  const navigate = useNavigate();
  const [theme, chooseTheme] = useTheme();
  const signOut = useMutation({ mutationKey: signOutKey, mutationFn: leave });

  return (
    <>
      {signOut.isError && <ProblemNotice error={signOut.error} />}
      <Menu
        label={`Account: ${user.name} ${user.email}`}
        side="top"
        trigger={
          <>
            <Avatar name={user.name} />
            <span className={`grid min-w-0 ${isRail ? "md:sr-only" : ""}`}>
              <span className="truncate font-medium">{user.name}</span>{" "}
              <span className="truncate text-xs text-muted">{user.email}</span>
            </span>
            <ChevronsUpDown
              className={`ml-auto size-4 shrink-0 text-muted ${isRail ? "md:hidden" : ""}`}
              aria-hidden="true"
            />
          </>
        }
      >
        <MenuChoice
          label="Theme"
          value={theme}
          onChange={(value) => chooseTheme(themes.find((entry) => entry === value) ?? "system")}
          options={themes.map((value) => ({ value, content: themeOptions[value] }))}
        />
        <MenuLine />
        <MenuItem onSelect={() => void navigate({ to: "/account" })}>
          <UserRound className="size-4" aria-hidden="true" />
          Account
        </MenuItem>
        <MenuItem onSelect={() => signOut.mutate()}>
          <LogOut className="size-4" aria-hidden="true" />
          Sign out
        </MenuItem>
      </Menu>
    </>
  );
}

const loadLimitMs = 5_000;

/** Under way until the next page is there: a full page load, so that nothing of the person stays in memory. */
async function leave(): Promise<void> {
  await api.signOut();
  location.assign("/sign-in");
  await new Promise((resolve) => setTimeout(resolve, loadLimitMs));
}

const themeOptions: Record<Theme, ReactNode> = {
  system: (
    <>
      <Monitor className="size-4" aria-hidden="true" />
      System
    </>
  ),
  light: (
    <>
      <Sun className="size-4" aria-hidden="true" />
      Light
    </>
  ),
  dark: (
    <>
      <Moon className="size-4" aria-hidden="true" />
      Dark
    </>
  ),
};
