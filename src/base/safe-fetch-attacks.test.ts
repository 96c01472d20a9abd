import { execFile } from "node:child_process";
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { type AddressRules, createAddressRules } from "./address-rules.ts";
import { createSafeFetch } from "./safe-fetch.ts";

const run = promisify(execFile);
const closed = createAddressRules({ allowedCidrs: [] });
const onlyFirstLoopback = createAddressRules({ allowedCidrs: ["127.0.0.1/32"] });
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** Counts connections on all of 127.0.0.0/8 and, where the machine has it, on ::1. */
const openTarget = async () => {
  const seen = { connections: 0, bytes: 0 };
  const server = createTcpServer((socket) => {
    seen.connections += 1;
    socket.on("error", () => {}).on("data", (data) => (seen.bytes += data.length));
    endings.push(() => socket.destroy());
  });
  server.listen(0);
  await once(server, "listening");
  endings.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, seen };
};

const attack = async (
  url: string,
  { addressRules = closed, lookup }: { addressRules?: AddressRules; lookup?: () => Promise<LookupAddress[]> } = {},
) => {
  const safeFetch = createSafeFetch({ addressRules, ...(lookup && { lookup }) });
  try {
    await safeFetch(url, { timeoutMs: 2000, followRedirects: 3 });
    return "reached";
  } catch (error) {
    return error;
  } finally {
    await safeFetch.close();
  }
};

const resolvingTo = (...addresses: string[]) => ({
  lookup: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
});

const hosts = [
  "127.0.0.1",
  "127.1",
  "127.0.0.1.",
  "localhost",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "017700000001",
  "0",
  "0.0.0.0",
  "①②⑦.0.0.1",
  "127%2e0.0.1",
];

test.each(hosts)("http and https to %s are refused without a connection", async (host) => {
  const { port, seen } = await openTarget();
  for (const scheme of ["http", "https"]) {
    expect(await attack(`${scheme}://${host}:${port}/`)).toMatchObject({ code: "outbound_refused" });
  }
  expect(seen.connections).toBe(0);
});

test.each([
  [["127.0.0.1"]],
  [["::1"]],
  [["::ffff:127.0.0.1"]],
  [["127.0.0.1", "::1"]],
  [["fe80::1%lo"]],
  [["nonsense"]],
  [[]],
])("a name resolving to %j is refused without a connection and without telling the address", async (addresses) => {
  const { port, seen } = await openTarget();
  for (const scheme of ["http", "https"]) {
    const refusal = await attack(`${scheme}://provider.test:${port}/`, resolvingTo(...addresses));
    expect(refusal).toMatchObject({
      code: "outbound_refused",
      message: expect.stringMatching(/^provider\.test is not a public address/),
    });
    for (const address of addresses) expect(JSON.stringify(refusal)).not.toContain(address);
  }
  expect(seen.connections).toBe(0);
});

test("one refused address refuses the name even when another is allowed", async () => {
  const { port, seen } = await openTarget();
  const options = { addressRules: onlyFirstLoopback, ...resolvingTo("127.0.0.1", "127.0.0.2") };
  expect(await attack(`http://provider.test:${port}/`, options)).toMatchObject({ code: "outbound_refused" });
  expect(seen.connections).toBe(0);
});

test.each([
  "http://127.0.0.2:PORT/",
  "http://[::1]:PORT/",
  "http://0x7f.2:PORT/",
  "//127.0.0.2:PORT/",
  "http://inside.test:PORT/",
])("a redirect to %s is refused without a connection", async (location) => {
  const { port, seen } = await openTarget();
  const server = createServer((_request, response) => {
    response.writeHead(302, { location: location.replace("PORT", String(port)) }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endings.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect(await attack(url, { addressRules: onlyFirstLoopback, ...resolvingTo("127.0.0.2") })).toMatchObject({
    code: "outbound_refused",
  });
  expect(seen.connections).toBe(0);
});

test("a name that resolves to an allowed address first and inside afterwards stays outside", async () => {
  const { port, seen } = await openTarget();
  const server = createServer((_request, response) => response.writeHead(200, { connection: "close" }).end("outside"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endings.push(() => server.close());
  let lookups = 0;
  const lookup = async () => {
    lookups += 1;
    return [{ address: lookups === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }];
  };
  const safeFetch = createSafeFetch({ addressRules: onlyFirstLoopback, lookup });
  endings.push(safeFetch.close);
  const outside = await safeFetch(`http://rebind.test:${(server.address() as AddressInfo).port}/`);
  expect([await outside.text(), lookups]).toEqual(["outside", 1]);
  await expect(safeFetch(`http://rebind.test:${port}/`)).rejects.toMatchObject({ code: "outbound_refused" });
  expect([lookups, seen.connections]).toEqual([2, 0]);
});

test.each(["http", "https"])(
  "an address that is found wrong only once connected over %s gets no byte",
  async (scheme) => {
    const { port, seen } = await openTarget();
    let checks = 0;
    const changesItsMind: AddressRules = {
      isAllowed: () => {
        checks += 1;
        return checks === 1;
      },
    };
    const refusal = await attack(`${scheme}://provider.test:${port}/`, {
      addressRules: changesItsMind,
      ...resolvingTo("127.0.0.1"),
    });
    expect(refusal).toMatchObject({ code: "outbound_refused" });
    await expect.poll(() => seen.connections).toBe(1);
    expect(seen.bytes).toBe(0);
  },
);

const outsideHosts = [
  "10.0.0.1",
  "100.100.100.200",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "192.168.0.1",
  "0xa9fea9fe",
  "2852039166",
  "0251.0376.0251.0376",
  "[::ffff:169.254.169.254]",
  "[::169.254.169.254]",
  "[64:ff9b::169.254.169.254]",
  "[2002:a9fe:a9fe::]",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[ff02::1]",
  "224.0.0.1",
  "255.255.255.255",
];

const outsideNames: Record<string, string[]> = {
  "private.test": ["10.0.0.7"],
  "metadata.test": ["169.254.169.254"],
  "public-and-private.test": ["192.0.3.1", "10.0.0.7"],
  "private-and-public.test": ["10.0.0.7", "192.0.3.1"],
  "two-families.test": ["2606:4700::1", "fd00:ec2::254"],
};

/** Ends the process at the first attempt to connect, before the system is asked for it. */
const outsideScript = `
  import { createHook } from "node:async_hooks";
  createHook({ init: (_id, type) => { if (type === "TCPCONNECTWRAP") process.exit(99); } }).enable();
  const { folder, hosts, names, allowedCidrs } = JSON.parse(process.argv[1]);
  const { createAddressRules } = await import(folder + "/address-rules.ts");
  const { createSafeFetch } = await import(folder + "/safe-fetch.ts");
  const lookup = async (name) => names[name].map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const safeFetch = createSafeFetch({ addressRules: createAddressRules({ allowedCidrs }), lookup });
  const codes = [];
  for (const host of [...hosts, ...Object.keys(names)]) {
    for (const scheme of ["http", "https"]) codes.push(await safeFetch(scheme + "://" + host + "/").then(() => "reached", (error) => error.code));
  }
  console.log(JSON.stringify(codes));
`;

/** In a network namespace of its own where the system gives one, so that a broken guard cannot send anything either. */
const runOutside = async (task: {
  hosts: string[];
  names: Record<string, string[]>;
  allowedCidrs: string[];
}): Promise<string> => {
  const namespace = ["unshare", "--map-root-user", "--net"];
  const hasNamespaces = await run("unshare", [...namespace.slice(1), "true"]).then(
    () => true,
    () => false,
  );
  const node = [
    process.execPath,
    "--input-type=module",
    "-e",
    outsideScript,
    JSON.stringify({ folder: import.meta.dirname, ...task }),
  ];
  const [file = "", ...rest] = hasNamespaces ? [...namespace, ...node] : node;
  return (await run(file, rest)).stdout;
};

test("private and metadata addresses, as literals or behind names, are refused before a socket connects", async () => {
  const codes = await runOutside({ hosts: outsideHosts, names: outsideNames, allowedCidrs: [] });
  const attempts = 2 * (outsideHosts.length + Object.keys(outsideNames).length);
  expect(JSON.parse(codes)).toEqual(Array<string>(attempts).fill("outbound_refused"));
});

test("the trip wire of the test before does notice a connection", async () => {
  const task = { hosts: ["127.0.0.1:4444"], names: {}, allowedCidrs: ["127.0.0.0/8"] };
  await expect(runOutside(task)).rejects.toMatchObject({ code: 99 });
});
