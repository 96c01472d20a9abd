import fc from "fast-check";
import { expect, test } from "vitest";
import { createAddressRules, isCidr } from "./address-rules.ts";

const rules = createAddressRules({ allowedCidrs: [] });

test.each([
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255",
])("refuses the special IPv4 address %s", (address) => {
  expect(rules.isAllowed(address)).toBe(false);
});

test.each([
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "128.0.0.1",
  "168.63.129.15",
  "168.63.129.17",
  "172.15.255.255",
])("allows the public IPv4 address %s", (address) => {
  expect(rules.isAllowed(address)).toBe(true);
});

test.each([
  "172.32.0.0",
  "192.0.1.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
])("allows %s, just beside a special range", (address) => {
  expect(rules.isAllowed(address)).toBe(true);
});

test.each([
  "::",
  "::1",
  "0:0:0:0:0:0:0:1",
  "::127.0.0.1",
  "::8.8.8.8",
  "::ffff:127.0.0.1",
  "::FFFF:7f00:1",
  "0:0:0:0:0:ffff:a9fe:a9fe",
  "::ffff:0:8.8.8.8",
  "64:ff9b::10.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::808:808",
  "100::1",
  "2001::1",
  "2001:1ff::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "2620:4f:8000::1",
  "3fff::1",
  "3fff:fff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fec0::1",
  "ff02::1",
])("refuses the special IPv6 address %s", (address) => {
  expect(rules.isAllowed(address)).toBe(false);
});

test.each([
  "2606:4700:4700::1111",
  "2001:4860:4860::8888",
  "2001:200::1",
  "2002:808:808::1",
  "64:ff9b::8.8.8.8",
  "::ffff:8.8.8.8",
  "3fff:1000::1",
])("allows the public IPv6 address %s", (address) => {
  expect(rules.isAllowed(address)).toBe(true);
});

test.each([
  "",
  " ",
  "localhost",
  "example.com",
  "8.8.8",
  "8.8.8.8 ",
  "8.8.8.8/32",
  "08.8.8.8",
  "0x8.8.8.8",
  "134744072",
  "8.8.8.256",
  "[2606:4700::1]",
  "2606:4700::1%eth0",
  "fe80::1%1",
  "2606:4700:::1",
  "8.8.8.8\0",
])("refuses %j, which is not plainly an address", (address) => {
  expect(rules.isAllowed(address)).toBe(false);
  expect(createAddressRules({ allowedCidrs: ["0.0.0.0/0", "::/0"] }).isAllowed(address)).toBe(false);
});

const specialOrAnyIpv4 = fc.oneof(
  fc.ipV4(),
  fc
    .tuple(fc.constantFrom("10", "127", "169.254", "192.168", "172.20", "168.63", "100.64"), fc.ipV4())
    .map(([start, rest]) => {
      const taken = start.split(".");
      return [...taken, ...rest.split(".").slice(taken.length)].join(".");
    }),
  fc.constant("168.63.129.16"),
);

test("an IPv4 address inside IPv6 is allowed exactly when the IPv4 address is", () => {
  const opened = createAddressRules({ allowedCidrs: ["10.128.0.0/9"] });
  fc.assert(
    fc.property(specialOrAnyIpv4, fc.integer({ min: 0, max: 0xffff }), (address, rest) => {
      const hex = Buffer.from(address.split(".").map(Number)).toString("hex");
      const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
      const forms = [
        `::ffff:${address}`,
        `::FFFF:${groups.toUpperCase()}`,
        `0:0:0:0:0:ffff:${address}`,
        `0000:0000:0000:0000:0000:ffff:${groups}`,
        `64:ff9b::${address}`,
        `0064:ff9b:0:0:0:0:${groups}`,
        `2002:${groups}::${rest.toString(16)}`,
      ];
      for (const judge of [rules, opened]) {
        for (const form of forms) expect([form, judge.isAllowed(form)]).toEqual([form, judge.isAllowed(address)]);
        expect(judge.isAllowed(`::${address}`)).toBe(false);
      }
    }),
    { numRuns: 300 },
  );
});

test("never throws and never allows what is not an address", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("0", "1", "f", ":", ".", "%", "[", "]", "/") })),
      (text) => {
        if (rules.isAllowed(text)) expect(text).toMatch(/^[\da-fA-F:.]+$/);
      },
    ),
    { numRuns: 500 },
  );
});

test("allowed ranges open exactly themselves, in every notation", () => {
  const opened = createAddressRules({ allowedCidrs: ["10.1.0.0/16", "fd12:3456::/32", "127.0.0.1/32"] });
  expect(["10.1.2.3", "::ffff:10.1.2.3", "127.0.0.1", "fd12:3456::9"].map(opened.isAllowed)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(
    ["10.2.0.1", "127.0.0.2", "::1", "fd12:3457::1", "169.254.169.254", "::10.1.2.3"].map(opened.isAllowed),
  ).not.toContain(true);
});

test("opening all of IPv6 opens no IPv4 address and the reverse", () => {
  expect(createAddressRules({ allowedCidrs: ["::/0"] }).isAllowed("10.0.0.1")).toBe(false);
  expect(createAddressRules({ allowedCidrs: ["0.0.0.0/0"] }).isAllowed("fd00::1")).toBe(false);
});

test.each(["10.0.0.0/8", "127.0.0.1/32", "0.0.0.0/0", "fd00::/8", "::1/128", "::/0"])("%s is a range", (text) => {
  expect(isCidr(text)).toBe(true);
});

test.each([
  "",
  "10.0.0.0",
  "10.0.0.0/33",
  "10.0.0.0/-1",
  "10.0.0.0/08",
  "10.0.0.0/8 ",
  "10.0.0/8",
  "::1/129",
  "fe80::1%1/64",
  "localhost/8",
  "/8",
  "10.0.0.0/",
])("%j is not a range and cannot be opened", (text) => {
  expect(isCidr(text)).toBe(false);
  expect(() => createAddressRules({ allowedCidrs: [text] })).toThrow("is not an address range");
});
