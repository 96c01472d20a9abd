import { describe, expect, it } from "vitest";
import { readCurl } from "./read-curl.ts";

const parametersOf = (text: string) => {
  const read = readCurl(text);
  return "fault" in read ? read : read.parameters;
};

describe("a curl command", () => {
  it("as documentation has it becomes a request, without its secret", () => {
    const text = `curl https://api.parcel.test/v2/labels \\
  -H 'Authorization: Bearer pk_live_9f' \\
  -H 'Content-Type: application/json' \\
  -d '{"order":"NW-20417","return":true}'`;
    expect(readCurl(text)).toEqual({
      parameters: {
        method: "POST",
        url: "https://api.parcel.test/v2/labels",
        body: { order: "NW-20417", return: true },
      },
      secrets: ["the header Authorization"],
      notes: [],
    });
  });

  it.each([
    ["curl https://a.test", { url: "https://a.test" }],
    ["curl -XDELETE https://a.test/1", { method: "DELETE", url: "https://a.test/1" }],
    ["curl -sSLI https://a.test", { method: "HEAD", url: "https://a.test" }],
    ["curl --json '{\"a\":1}' https://a.test", { method: "POST", url: "https://a.test", body: { a: 1 } }],
    [
      "curl https://a.test -d a=1 -d 'b=x%20y' --data-urlencode 'c=x & y'",
      { method: "POST", url: "https://a.test", body: { a: "1", b: "x y", c: "x & y" }, bodyType: "form" },
    ],
    ["curl -G https://a.test -d a=1 -d a=2", { url: "https://a.test", query: { a: ["1", "2"] } }],
    [
      "curl -X PUT \"https://a.test/?q=1&r=2\" -H \"X-Note: say \\\"hi\\\"\" -H 'Content-Type: text/plain' --data-raw 'it''s'",
      {
        method: "PUT",
        url: "https://a.test/?q=1&r=2",
        headers: { "X-Note": 'say "hi"', "Content-Type": "text/plain" },
        body: "its",
        bodyType: "text",
      },
    ],
    [
      "curl 'https://a.test' -H 'content-type: application/json' --data-raw $'{\"a\":\"\\u00e4\\'\\n\"}'".replace(
        "\\n",
        "\\\\n",
      ),
      { method: "POST", url: "https://a.test", body: { a: "ä'\n" } },
    ],
    ["curl -m 5 a.test/x", { url: "http://a.test/x", timeoutSeconds: 5 }],
    ["curl https://ann:pw@a.test/x", { url: "https://a.test/x" }],
  ])("%s", (text, parameters) => {
    expect(parametersOf(text)).toEqual(parameters);
  });

  it.each([
    ["wget https://a.test", "It does not begin with curl."],
    ["curl", "It has no address."],
    ["curl https://a.test https://b.test", "It has more than one address: https://b.test is the second."],
    ["curl -F file=@a.png https://a.test", "-F sends a form in several parts, such as a file, which this node cannot."],
    ["curl -k https://a.test", /^-k turns off the check of the server's certificate/],
    ["curl -sk https://a.test", /^-k turns off/],
    ["curl -d @body.json https://a.test", /^@body.json is a file of your machine/],
    ["curl --data-urlencode name@file https://a.test", /is a file of your machine/],
    ["curl --cert me.pem https://a.test", "--cert cannot be taken over. Remove it if the request works without it."],
    ['curl https://a.test -H "X-Key: $TOKEN"', "$TOKEN is only known to your shell. Write its value in its place."],
    ["curl https://a.test | jq .", /^Paste one curl command alone/],
    ["curl https://a.test/?a=1&b=2", /^Paste one curl command alone/],
    ["curl 'https://a.test", "A quotation mark has no end."],
    ["curl https://a.test ^\n -d x", /^This is the form for Windows/],
    ["curl -X TRACE https://a.test", /^The method TRACE is not one of/],
    ["curl -X GET -d a=1 https://a.test", "A body cannot be sent with GET."],
    ["curl ftp://a.test", "ftp://a.test is no http(s) address."],
    ["curl https://a.test/{1,2}", /curl takes for several addresses/],
    ["curl https://a.test -H", "-H has no value."],
  ])("is not taken over: %s", (text, fault) => {
    expect(readCurl(text)).toEqual({ fault: typeof fault === "string" ? fault : expect.stringMatching(fault) });
  });

  it("tells of every secret and keeps none of them", () => {
    const text =
      "curl -u ann:s3cret1 -b 'sid=s3cret2' -H 'X-Api-Key: s3cret3' https://ann:s3cret4@a.test -H 'Accept: text/csv'";
    const read = readCurl(text);
    expect(read).toMatchObject({
      parameters: { url: "https://a.test", headers: { Accept: "text/csv" } },
      secrets: [
        "a user name and password in the address",
        "the header Cookie",
        "the header X-Api-Key",
        "a user name and password (-u)",
      ],
    });
    expect(JSON.stringify(read)).not.toContain("s3cret");
  });

  it("tells what it leaves out and what may be another thing than it looks", () => {
    const read = readCurl(`curl --compressed 'https://a.test/?api_key=1' -d '{"a":"{{ name }}"}'`);
    expect(read).toMatchObject({
      notes: [
        "The address has api_key in it. If that is a secret, an account of the kind query keeps it.",
        "curl sends this body as a form, although it does not look like one. If the service wants JSON, say so.",
        "Left out, because it changes nothing here: --compressed.",
        "It has {{ in it, which is a reference here. Check those places.",
      ],
    });
  });
});
