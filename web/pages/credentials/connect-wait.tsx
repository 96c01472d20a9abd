import { useMutation, useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { credentialQuery } from "../../api/credentials.ts";
import { Button, buttonLook } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Spinner } from "../../parts/spinner.tsx";
import { describeConnectProblem, useConnectNews } from "./connect-news.ts";
import { isWebAddress, openTab } from "./open-tab.ts";

type ConnectWaitProps = {
  organizationId: string;
  credentialId: string;
  /** Of the provider. */
  title: string;
  authorizeUrl: string;
  onConnected: () => void;
  /** Asks for a new address; one that failed cannot be used twice. */
  onAgain: () => Promise<unknown>;
  onChange?: () => void;
};

const askEveryMs = 2_000;

/** Waits while the person agrees at the provider in another tab. */
export function ConnectWait({
  organizationId,
  credentialId,
  title,
  authorizeUrl,
  onConnected,
  onAgain,
  onChange,
}: ConnectWaitProps) {
  const [problem, setProblem] = useState<string>();
  const again = useMutation({ mutationFn: onAgain, onSuccess: () => setProblem(undefined) });
  useOutcome({ organizationId, credentialId, onConnected, onProblem: setProblem });

  // A new address is opened at once, as the first one was.
  const [opened, setOpened] = useState(authorizeUrl);
  useEffect(() => {
    if (opened === authorizeUrl) return;
    setOpened(authorizeUrl);
    openTab(authorizeUrl);
  }, [opened, authorizeUrl]);

  return (
    <div className="grid gap-4">
      {problem ? (
        <Notice kind="problem">{describeConnectProblem(problem, title)}</Notice>
      ) : (
        <div role="status" className="flex items-start gap-3 text-sm">
          <span className="mt-0.5">
            <Spinner />
          </span>
          <p>Agree at {title} in the tab that has opened. This page goes on by itself as soon as you have.</p>
        </div>
      )}
      {again.isError && <ProblemNotice error={again.error} />}
      <div className="flex flex-wrap gap-2">
        {problem ? (
          <Button look="primary" busy={again.isPending} onClick={() => again.mutate()}>
            Try again
          </Button>
        ) : (
          isWebAddress(authorizeUrl) && (
            <a href={authorizeUrl} target="_blank" rel="noopener noreferrer" className={buttonLook("quiet")}>
              <ExternalLink className="size-4" aria-hidden="true" />
              Open {title}
            </a>
          )
        )}
        {onChange && <Button onClick={onChange}>Change the fields</Button>}
      </div>
    </div>
  );
}

type Outcome = Pick<ConnectWaitProps, "organizationId" | "credentialId" | "onConnected"> & {
  onProblem: (problem: string) => void;
};

/** The tab that came back tells how it went; where it cannot, the credential itself does. */
function useOutcome({ organizationId, credentialId, onConnected, onProblem }: Outcome): void {
  const { data: credential } = useQuery({
    ...credentialQuery(organizationId, credentialId),
    staleTime: 0,
    refetchInterval: askEveryMs,
    refetchOnWindowFocus: "always",
  });
  const [before, setBefore] = useState<string>();
  if (before === undefined && credential) setBefore(credential.updatedAt);
  const works = credential?.health === "ok" || credential?.health === "expiring";
  const isConnected = before !== undefined && works && credential.updatedAt !== before;
  const tellConnected = useEffectEvent(onConnected);
  useEffect(() => {
    if (isConnected) tellConnected();
  }, [isConnected]);

  useConnectNews((news) => {
    if (news.credentialId !== credentialId) return;
    if (news.problem) onProblem(news.problem);
    else onConnected();
  });
}
