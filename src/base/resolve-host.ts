import type { LookupAddress } from "node:dns";
import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { AddressRules } from "./address-rules.ts";
import { Refusal } from "./refusal.ts";

type Options = { addressRules: AddressRules; lookup?: (hostname: string) => Promise<LookupAddress[]> };

/**
 * The address to connect to, for clients that speak other protocols than HTTP. They must connect to exactly this address: asking for the
 * name a second time could give another one. One refused address refuses the name.
 */
export const createResolveHost =
  ({ addressRules, lookup = (hostname) => systemLookup(hostname, { all: true }) }: Options) =>
  async (host: string): Promise<string> => {
    const name = host.replace(/^\[(.*)\]$/, "$1");
    const addresses =
      isIP(name) === 0
        ? await lookup(name).catch((error: NodeJS.ErrnoException) => Promise.reject(unreachable(host, error)))
        : [{ address: name }];
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address }) => !addressRules.isAllowed(address)))
      throw new Refusal("outbound_refused", `${host} is not a public address. The operator can allow address ranges.`);
    return first.address;
  };

const unreachable = (host: string, { code = "" }: NodeJS.ErrnoException): Refusal =>
  new Refusal(
    "provider_unreachable",
    `${host} could not be reached${/^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : ""}.`,
  );
