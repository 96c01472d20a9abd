import { describe, expect, it } from "vitest";
import type { Names } from "./names.ts";
import { translateText, translateToJsonata } from "./translate-text.ts";

const ids = new Map([
  ["Get orders", "get_orders"],
  ["A", "a"],
]);
const names: Names = { idOf: (name) => ids.get(name), before: "a", count: () => undefined };
const translate = (text: string) => translateText(text, names);

describe("a text with expressions of n8n", () => {
  it.each([
    ["plain", "plain"],
    ["=plain", "plain"],
    ["={{ $json.total }}", "{{ $input.total }}"],
    ["=Hello {{ $json.name }}!", "Hello {{ $input.name }}!"],
    ['={{ $json["first name"] }}', "{{ $input.`first name` }}"],
    ["={{ $json.lines[0].price }}", "{{ $input.lines[0].price }}"],
    ["={{ $json?.customer?.city }}", "{{ $input.customer.city }}"],
    ['={{ $node["Get orders"].json.id }}', "{{ $nodes.get_orders.item.id }}"],
    ["={{ $node.A.json.id }}", "{{ $nodes.a.item.id }}"],
    ["={{ $('Get orders').item.json.id }}", "{{ $nodes.get_orders.item.id }}"],
    ["={{ $('A').first().json.id }}", "{{ $nodes.a.first.id }}"],
    ["={{ $('A').last().json.id }}", "{{ $nodes.a.items[-1].id }}"],
    ['={{ $items("A")[2].json.id }}', "{{ $nodes.a.items[2].id }}"],
    ["={{ $input.item.json.id }}", "{{ $input.id }}"],
    ["={{ $input.first().json.id }}", "{{ $nodes.a.first.id }}"],
    ["={{ $vars.region }} {{ $vars['limit'] }}", "{{ $vars.region }} {{ $vars.limit }}"],
    ["={{ $now }} and {{ $now.toISO() }}", "{{ $now() }} and {{ $now() }}"],
    ["={{ 'Order ' + $json.id }}", '{{ ("Order " & $input.id) }}'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file.
    ["={{ `Order ${$json.id}` }}", '{{ ("Order " & $input.id) }}'],
    ["={{ $json.price * 2 + 1 }}", "{{ (($input.price * 2) + 1) }}"],
    ["={{ $json.a > 1 ? 'x' : \"y\" }}", '{{ (($input.a > 1) ? "x" : "y") }}'],
    ["={{ $json.a === 'x' && !$json.b }}", '{{ (($input.a = "x") ? $not($input.b) : ($input.a = "x")) }}'],
    ["={{ $json.a !== 'x' }}", '{{ $not(($input.a = "x")) }}'],
    ["={{ $json.a == null }}", "{{ $not($input.a != null) }}"],
    ["={{ $json.name || 'you' }}", '{{ ($input.name ? $input.name : "you") }}'],
    ["={{ $json.name ?? 'you' }}", '{{ ($input.name != null ? $input.name : "you") }}'],
    ["={{ $json.name.toUpperCase().trim() }}", "{{ $trim($uppercase($input.name)) }}"],
    ["={{ Math.floor($json.a / 2) }}", "{{ $floor(($input.a / 2)) }}"],
    ["={{ JSON.stringify($json) }}", "{{ $string($input) }}"],
    ["={{ $json.list.length }}", '{{ ($type($input.list) = "string" ? $length($input.list) : $count($input.list)) }}'],
  ])("%s is written as %s", (text, expected) => {
    expect(translate(text)).toEqual({ text: expected });
  });

  it.each([
    ["={{ $json.a + $json.b }}", "depends on the data"],
    ["={{ $json.items.map(x => x.id) }}", "functions are not read"],
    ["={{ $json[$json.key] }}", "only fixed names"],
    ["={{ $('Nowhere').item.json.id }}", "Nowhere"],
    ["={{ $env.HOME }}", "$env"],
    ["={{ $today.minus({days: 1}) }}", "is not read"],
    ["={{ new Date() }}", "is not read"],
    ["={{ process.exit(1) }}", ".exit() is not read"],
    ["={{ constructor.constructor('return 1')() }}", "is not read"],
    ["={{ $json.a ", "not closed"],
    ["={{ }}", "is not read"],
    [`={{ ${"(".repeat(60)}1${")".repeat(60)} }}`, "nested too deep"],
    [`={{ ${Array.from({ length: 40 }, () => "$json.a").join(" || ")} }}`, "too long"],
    [`={{ '${"x".repeat(2000)}' }}`, "longer than 2000"],
  ])("is kept as text where it cannot be read, case %#", (text, reason) => {
    const { text: kept, fault } = translate(text);
    expect(fault).toContain(reason);
    expect(kept.replaceAll('{{ "{{" }}', "{{")).toBe(text.slice(1));
  });

  it("never makes a reference of a text that was none", () => {
    expect(translate("$nodes.a.first")).toEqual({ text: '{{ "$nodes.a.first" }}' });
    expect(translate("{{ $json.x }}")).toEqual({ text: '{{ "{{" }} $json.x }}' });
  });
});

it("makes one expression of a text for fields that are one", () => {
  expect(translateToJsonata("={{ $json.a }}", names)).toEqual({ text: "$input.a" });
  expect(translateToJsonata("=No. {{ $json.a }}", names)).toEqual({ text: '"No. " & $input.a' });
  expect(translateToJsonata("a", names)).toEqual({ text: '"a"' });
  expect(translateToJsonata(7, names)).toEqual({ text: "7" });
  expect(translateToJsonata("={{ $json.a.map() }}", names)).toMatchObject({ text: "", fault: expect.any(String) });
});
