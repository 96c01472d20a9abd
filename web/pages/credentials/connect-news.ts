import { useEffect, useEffectEvent } from "react";

/** How a connection ended, told by the tab that came back from the provider to the tab it was begun in. */
export type ConnectNews = { credentialId: string; problem: string | undefined };

export function tellConnectNews(news: ConnectNews): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(news);
  channel.close();
}

export function useConnectNews(onNews: (news: ConnectNews) => void): void {
  const tell = useEffectEvent(onNews);
  useEffect(() => {
    const channel = new BroadcastChannel(channelName);
    channel.onmessage = ({ data }: MessageEvent<ConnectNews>) => tell(data);
    return () => channel.close();
  }, []);
}

/** In words, for the codes that `GET /api/oauth/callback` comes back with. */
export function describeConnectProblem(problem: string, title: string): string {
  return problems[problem]?.(title) ?? `${title} could not be connected (${problem}).`;
}

const channelName = "switchyard.connect";

const problems: Record<string, (title: string) => string> = {
  oauth_denied: (title) => `${title} was not connected, because access was denied there.`,
  oauth_expired: () => "This took too long: a connection has to be made within ten minutes. Connect again.",
  oauth_failed: (title) =>
    `${title} ended the connection with an error. Check the client and the redirect address, then connect again.`,
  provider_error: (title) => `${title} did not accept the connection. Check the client ID and secret.`,
  provider_unreachable: (title) => `${title} could not be reached to finish the connection. Connect again.`,
  outbound_refused: () => "The address is not one that this server may reach. An operator can allow it.",
  outbound_timeout: (title) => `${title} did not answer in time. Connect again.`,
};
