// Reads JSON lines from standard input and answers each with one:
//   {"do": "verify", "secret", "headers", "body"}   {"fault"}: whether a receiver trusts it
//   {"do": "sign", "secret", "id", "seconds", "body"}   {"signature"}
//   {"do": "event", "headers", "body"}   {"event", "fault"}: the CloudEvent that a receiver reads
// The first two are standardwebhooks, the third is cloudevents.
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';

const require = createRequire(process.argv[2] + '/');
const { Webhook } = require('standardwebhooks');
const { HTTP } = require('cloudevents');

// The library does not decode attributes in headers, which the HTTP binding
// (3.1.3.2) percent-encodes.
function decoded(headers) {
  return Object.fromEntries(Object.entries(headers).map(([k, v]) => {
    if (!/^ce-/i.test(k)) return [k, v];
    if (/[^!-~]|"/.test(v)) throw new Error(`${k} is not percent-encoded`);
    return [k, decodeURIComponent(v)];
  }));
}

const does = {
  verify({ secret, headers, body }) {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return {};
  },
  sign({ secret, id, seconds, body }) {
    return { signature: new Webhook(secret).sign(id, new Date(seconds * 1000), body) };
  },
  event({ headers, body }) {
    const read = decoded(headers);
    const event = HTTP.toEvent({ headers: read, body });
    event.validate();
    // The library makes up an id for an event that has none.
    if (event.id !== (read['ce-id'] ?? JSON.parse(body).id)) throw new Error('the event has no id');
    return { event: event.toJSON() };
  },
};

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const order = JSON.parse(line);
  let answer;
  try {
    answer = does[order.do](order);
  } catch (e) {
    answer = { fault: `${e.message} ${(e.errors ?? []).map((x) => `${x.instancePath} ${x.message}`).join('; ')}`.trim() };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
