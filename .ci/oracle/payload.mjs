// Reads a JSON array of {"kind", "body"} from standard input and writes, for each,
// a JSON array of what the platform's published types have against the body. All
// of them are literals of one TypeScript program, which is compiled once: types of
// literals are exact, so a field that the platform does not have is a fault.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const modules = process.argv[2];
const ts = createRequire(modules + '/')('typescript');

// What a body is, by its kind. The methods of Telegram are taken by their names.
const types = {
  'slack chat.postMessage': `import('@slack/web-api').ChatPostMessageArguments`,
  'slack chat.update': `import('@slack/web-api').ChatUpdateArguments`,
  'slack chat.delete': `import('@slack/web-api').ChatDeleteArguments`,
  'discord POST': `Values<import('discord-api-types/v10').RESTPostAPIChannelMessageJSONBody>`,
  'discord PATCH': `Values<import('discord-api-types/v10').RESTPatchAPIChannelMessageJSONBody>`,
};

// The words that an enum of Discord's stands for are no members of it, to
// TypeScript. Values is a type with the words in their place.
const prelude = 'type Values<T> = T extends string ? `${T}` : T extends number ? T : T extends object ? { [K in keyof T]: Values<T[K]> } : T;';

function typeOf(kind) {
  const [platform, method] = kind.split(' ');
  if (platform === 'telegram' && /^[a-z]+$/i.test(method ?? '')) {
    return `Parameters<import('@grammyjs/types').ApiMethods<never>['${method}']>[0]`;
  }
  return types[kind];
}

// bits takes Discord's flags apart: the types know each of them, and not their sums.
function bits(kind, { flags }) {
  if (!kind.startsWith('discord ') || !Number.isInteger(flags) || flags < 0 || flags >= 2 ** 31) return [];
  const out = [];
  for (let n = 1; n <= flags && n > 0; n *= 2) if (flags & n) out.push(n);
  return out;
}

function faultsOf(sent) {
  const faults = sent.map(() => []);
  // A line for each behind the first, so that a line tells whose fault it is.
  const source = prelude + '\n' + sent.map(({ kind, body }, i) => {
    const type = typeOf(kind);
    if (!type) faults[i].push(`no type is known for ${kind}`);
    const [first, ...further] = bits(kind, body);
    const literal = JSON.stringify(first === undefined ? body : { ...body, flags: first });
    return `export const body${i}: ${type ?? 'unknown'} = ${literal};` +
      further.map((n) => ` export const body${i}flag${n}: NonNullable<${type}['flags']> = ${n};`).join('');
  }).join('\n');

  const options = {
    strict: true, noEmit: true, skipLibCheck: true, types: [],
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const name = join(dirname(modules), 'bodies.ts'); // it is in memory only
  const disk = ts.createCompilerHost(options);
  const host = {
    ...disk,
    fileExists: (f) => f === name || disk.fileExists(f),
    readFile: (f) => (f === name ? source : disk.readFile(f)),
    getSourceFile: (f, ...rest) => (f === name ? ts.createSourceFile(f, source, options.target) : disk.getSourceFile(f, ...rest)),
  };
  for (const d of ts.getPreEmitDiagnostics(ts.createProgram([name], options, host))) {
    const message = ts.flattenDiagnosticMessageText(d.messageText, ' ');
    if (d.file?.fileName !== name) throw new Error(`the types themselves: ${message}`);
    faults[d.file.getLineAndCharacterOfPosition(d.start).line - 1].push(message.slice(0, 1000));
  }
  return faults;
}

let input = '';
for await (const piece of process.stdin.setEncoding('utf8')) input += piece;
process.stdout.write(JSON.stringify(faultsOf(JSON.parse(input))));
