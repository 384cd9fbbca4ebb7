// Reads JSON lines {"text"} from standard input and answers each with what
// slack-message-parser makes of it: {"runs", "live", "faults"}. A run is a piece
// of text with the styles that a reader sees on it, as letters:
// b strong, i emphasis, s strike, c code, p pre, q quote, l link.
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';

const { parse, NodeType } = createRequire(process.argv[2] + '/')('slack-message-parser');

// Only these three are entities in mrkdwn.
const decode = (s) => s.replace(/&(lt|gt|amp);/g, (_, n) => ({ lt: '<', gt: '>', amp: '&' })[n]);

const letters = { [NodeType.Bold]: 'b', [NodeType.Italic]: 'i', [NodeType.Strike]: 's', [NodeType.Quote]: 'q' };

function read(text) {
  const out = { runs: [], live: [], faults: [] };
  const push = (t, s, href) => {
    const last = out.runs.at(-1);
    if (last && last.s === s && (last.href ?? '') === (href ?? '')) last.t += t;
    else out.runs.push(href ? { t, s, href } : { t, s });
  };
  const plain = (raw, s, href) => {
    if (/[<>]/.test(raw)) out.faults.push(`unescaped angle bracket in ${JSON.stringify(raw.slice(0, 60))}`);
    if (/&(?!(amp|lt|gt);)/.test(raw)) out.faults.push(`unescaped ampersand in ${JSON.stringify(raw.slice(0, 60))}`);
    push(decode(raw), s, href);
  };
  const walk = (nodes, s, href) => {
    for (const n of nodes) {
      switch (n.type) {
        case NodeType.Text: plain(n.text, s, href); break;
        // A name between colons that Slack does not know is shown as it was written.
        case NodeType.Emoji: plain(n.source, s, href); break;
        case NodeType.Code: plain(n.text, s + 'c', href); break;
        case NodeType.PreText: plain(n.text, s + 'p', href); break;
        case NodeType.URL: {
          const to = decode(n.url);
          // Without a scheme Slack shows the token as it stands.
          if (!/^[a-z][a-z0-9+.-]*:/i.test(to)) out.faults.push(`link without a scheme: ${to}`);
          if (n.label) walk(n.label, s + 'l', to);
          else push(to, s + 'l', to);
          break;
        }
        case NodeType.UserLink: out.live.push(n.source); break;
        case NodeType.ChannelLink: out.live.push(n.source); break;
        case NodeType.Command: out.live.push(n.source); break;
        default: walk(n.children, s + letters[n.type], href);
      }
    }
  };
  // The parser reads messages as Slack stores them, where a raw > that opens a
  // line has become &gt;.
  walk(parse(text.replace(/^>/gm, '&gt;')).children, '', '');
  return out;
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  process.stdout.write(JSON.stringify(read(JSON.parse(line).text)) + '\n');
}
