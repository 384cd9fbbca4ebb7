// Reads JSON lines {"text"} from standard input and answers each with what
// @cloudrac3r/discord-markdown makes of it: {"runs", "live", "faults"}. A run is
// a piece of text with the styles that a reader sees on it, as letters:
// b strong, i emphasis, s strike, o spoiler, c code, p pre, q quote, l link,
// h heading.
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';

const { rules, markdownEngine } = createRequire(process.argv[2] + '/')('@cloudrac3r/discord-markdown');

// The engine numbers the items of a list from its first one and forgets the
// bullets of the others; Discord shows "- a" followed by "1. b" as two lists. So
// the bullets are kept, cut out the way that the engine cuts out the items.
const item = /( *)(?:[*+-]|\d+\.) +[^\n]*(?:\n(?!\1(?:[*+-]|\d+\.) )[^\n]*)*(?:\n|$)/gm;
const list = {
  ...rules.list,
  parse: (capture, parse, state) => ({
    ...rules.list.parse(capture, parse, state),
    bullets: capture[0].replace(/\n{2,}$/, '\n').match(item).map((s) => /^ *(\S+)/.exec(s)[1]),
  }),
};
// The engine knows languages of letters, digits and hyphens; the client also
// takes the ones of "c++", "c#" and "objective_c".
const codeBlock = {
  ...rules.codeBlock,
  parse: (capture, parse, state) => {
    const node = rules.codeBlock.parse(capture, parse, state);
    const first = /^```([a-z0-9_+\-.#]+)\n/i.exec(capture[0]);
    if (node.lang || !first) return node;
    return { ...node, lang: first[1], content: node.content.replace(/^.*\n+/, '') };
  },
};
const parser = markdownEngine.parserFor({ ...rules, list, codeBlock });

const letters = { strong: 'b', em: 'i', strike: 's', blockQuote: 'q', heading: 'h', u: 'u', small: '' };

function read(text) {
  const out = { runs: [], live: [], faults: [] };
  const push = (t, s, href, lang) => {
    const last = out.runs.at(-1);
    if (last && last.s === s && (last.href ?? '') === (href ?? '') && !lang && !last.lang) last.t += t;
    else out.runs.push({ t, s, ...(href && { href }), ...(lang && { lang }) });
  };
  const words = (n) => (Array.isArray(n) ? n.map(words).join('') : typeof n.content === 'string' ? n.content : words(n.content ?? []));
  const walk = (nodes, s, href) => {
    for (const n of nodes) {
      if (Array.isArray(n)) { walk(n, s, href); continue; }
      switch (n.type) {
        case 'text':
          for (const t of n.content.match(/<(?:t:-?\d+(?::\w)?|id:[a-z-]+(?::\d+)?)>/g) ?? []) out.live.push(t);
          push(n.content, s, href);
          break;
        case 'br': case 'newline': push('\n', s, href); break;
        case 'inlineCode': push(n.content, s + 'c', href); break;
        case 'codeBlock': push('\n', s, href); push(n.content, s + 'p', href, n.lang); push('\n', s, href); break;
        case 'spoiler': walk(n.parsed, s + 'o', href); break;
        case 'list':
          n.items.forEach((it, i) => {
            push(/\d/.test(n.bullets[i]) ? `\n${n.bullets[i]} ` : '\n• ', s, href);
            walk(it, s, href);
          });
          push('\n', s, href);
          break;
        case 'link': {
          const label = words(n.content);
          // Since 2023 the client makes a link only of these schemes, and shows
          // the markup itself where the label looks like an address.
          if (label !== n.target) {
            if (!/^(?:https?|discord):\/\//i.test(n.target)) out.faults.push(`masked link that stays text: ${n.target}`);
            if (/https?:\/\/|discord\.gg\//i.test(label)) out.faults.push(`masked link whose label looks like an address: ${label}`);
          }
          if (!label.trim()) out.faults.push(`link without a label: ${n.target}`);
          walk(n.content, s + 'l', n.target);
          break;
        }
        case 'autolink': case 'url': push(n.target, s + 'l', n.target); break;
        case 'heading': push('\n', s, href); walk(n.content, s + 'h', href); push('\n', s, href); break;
        default:
          if (n.type.startsWith('discord')) out.live.push(n.id ? `${n.type}:${n.id}` : n.type);
          else if (n.type in letters) walk(n.content, s + letters[n.type], href);
          else { out.faults.push(`unforeseen node ${n.type}`); if (n.content) walk([].concat(n.content), s, href); }
      }
    }
  };
  walk(parser(text, { inline: true }), '', '');
  return out;
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  process.stdout.write(JSON.stringify(read(JSON.parse(line).text)) + '\n');
}
