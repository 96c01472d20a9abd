import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { sessionsQuery } from "../../queries.ts";
import { describeUserAgent } from "./describe-user-agent.ts";

export function SessionList() {
  const sessions = useSuspenseQuery(sessionsQuery).data;
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: (sessionId: string | "others") =>
      sessionId === "others" ? api.endOtherSessions() : api.endSession(sessionId),
    onSettled: () => queryClient.invalidateQueries(sessionsQuery),
  });

  return (
    <Card
      title="Sessions"
      description="Where you are signed in. End those you do not know."
      action={sessions.length > 1 && <Button onClick={() => end.mutate("others")}>Sign out everywhere else</Button>}
    >
      {end.isError && <ProblemNotice error={end.error} />}
      <ul className="-mb-3 divide-y divide-line">
        {sessions.map((session) => (
          <li key={session.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
            <div className="min-w-0 flex-1 basis-40">
              <p className="font-medium wrap-anywhere">{describeUserAgent(session.userAgent)}</p>
              <p className="text-sm text-muted">
                {session.ipAddress && `${session.ipAddress} · `}
                since <Moment at={session.createdAt} />
              </p>
            </div>
            {session.current ? (
              <Badge>This one</Badge>
            ) : (
              <Button
                look="danger"
                busy={end.isPending && end.variables === session.id}
                aria-label={`Sign out ${describeUserAgent(session.userAgent)}`}
                onClick={() => end.mutate(session.id)}
              >
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
