import { BlockList, isIP, isIPv4 } from "node:net";

type Options = { allowedCidrs: string[]; isPublicAllowed?: boolean };

/** Which IP addresses this process may connect to: public unicast ones unless told otherwise, and what the operator opened with `allowedCidrs`. */
export const createAddressRules = ({ allowedCidrs, isPublicAllowed = true }: Options) => {
  const exceptions = createCidrSet(allowedCidrs);

  const isAllowedIpv4 = (address: string): boolean =>
    exceptions.has(address) || (isPublicAllowed && !refusedIpv4.has(address));

  const isAllowedIpv6 = (address: string): boolean => {
    if (exceptions.has(address)) return true;
    const embedded = findEmbeddedIpv4(address);
    if (embedded !== undefined) return isAllowedIpv4(embedded);
    return isPublicAllowed && globalIpv6.has(address) && !refusedIpv6.has(address);
  };

  /** Anything that is not plainly an IP address is refused, also one with a zone id. */
  const isAllowed = (address: string): boolean => {
    if (isIP(address) === 0 || address.includes("%")) return false;
    return isIPv4(address) ? isAllowedIpv4(address) : isAllowedIpv6(address);
  };

  return { isAllowed };
};

export type AddressRules = ReturnType<typeof createAddressRules>;

export const isCidr = (text: string): boolean => parseCidr(text) !== undefined;

type Cidr = { network: string; prefix: number };

const parseCidr = (text: string): Cidr | undefined => {
  const match = /^([\da-fA-F.:]+)\/(0|[1-9]\d{0,2})$/.exec(text);
  const network = match?.[1] ?? "";
  const prefix = Number(match?.[2]);
  if (isIP(network) === 0 || prefix > (isIPv4(network) ? 32 : 128)) return undefined;
  return { network, prefix };
};

/** A list for each family, because one BlockList takes `::/0` to cover IPv4 as well. */
const createCidrSet = (cidrs: string[]) => {
  const ipv4 = new BlockList();
  const ipv6 = new BlockList();
  for (const text of cidrs) {
    const cidr = parseCidr(text);
    if (!cidr) throw new Error(`"${text}" is not an address range like 10.0.0.0/8 or fd00::/8`);
    if (isIPv4(cidr.network)) ipv4.addSubnet(cidr.network, cidr.prefix, "ipv4");
    else ipv6.addSubnet(cidr.network, cidr.prefix, "ipv6");
  }
  return {
    has: (address: string): boolean => (isIPv4(address) ? ipv4.check(address, "ipv4") : ipv6.check(address, "ipv6")),
  };
};

/** The IANA IPv4 special-purpose registry, multicast, and what clouds answer metadata requests on. */
const refusedIpv4 = createCidrSet([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);

/** The only IPv6 space given out for global unicast; loopback, private, link-local and multicast lie outside. */
const globalIpv6 = createCidrSet(["2000::/3"]);

/** What the IANA IPv6 special-purpose registry lists inside it. */
const refusedIpv6 = createCidrSet(["2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20"]);

/** Gateways and kernels turn these forms into IPv4: mapped `::ffff:0:0/96`, NAT64 `64:ff9b::/96`, 6to4 `2002::/16`. */
const findEmbeddedIpv4 = (address: string): string | undefined => {
  const groups = expandIpv6(address);
  const leading = groups.slice(0, 6).join(":");
  if (leading === "0:0:0:0:0:ffff" || leading === "64:ff9b:0:0:0:0") return toIpv4(groups[6], groups[7]);
  if (groups[0] === "2002") return toIpv4(groups[1], groups[2]);
  return undefined;
};

/** The eight groups in lower-case hexadecimal without leading zeros. */
const expandIpv6 = (address: string): string[] => {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = canonical.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  return [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
};

const toIpv4 = (high = "0", low = "0"): string => {
  const bytes = Buffer.from(high.padStart(4, "0") + low.padStart(4, "0"), "hex");
  return bytes.join(".");
};
