// Loaded before a program: a name like 2-any.rebind.test is 127.0.0.1 the first two times somebody asks for it, and 127.0.0.2 from then on.
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const asked = new Map();

function answerFor(hostname) {
  const times = /^(\d+)-[^.]*\.rebind\.test$/.exec(hostname)?.[1];
  if (times === undefined) return undefined;
  const before = asked.get(hostname) ?? 0;
  asked.set(hostname, before + 1);
  return { address: before < Number(times) ? "127.0.0.1" : "127.0.0.2", family: 4 };
}

const { lookup } = dns;
dns.lookup = (hostname, ...given) => {
  const answer = answerFor(hostname);
  if (!answer) return lookup(hostname, ...given);
  const callback = given.at(-1);
  if (given[0]?.all) process.nextTick(callback, null, [answer]);
  else process.nextTick(callback, null, answer.address, answer.family);
};

const { lookup: lookupLater } = dns.promises;
dns.promises.lookup = async (hostname, options) => {
  const answer = answerFor(hostname);
  if (!answer) return await lookupLater(hostname, options);
  return options?.all ? [answer] : answer;
};
syncBuiltinESMExports();
