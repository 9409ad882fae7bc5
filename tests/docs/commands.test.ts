import { read } from '../kit/read.ts';
import { codeBlocks, documents } from './_documents.ts';

const commands = codeBlocks.filter(({ language }) => language === 'sh');
// Commands in runbooks need a cluster with a problem.
const placed = commands
  .filter(({ document }) => !document.startsWith('docs/runbooks/'))
  .map((block) => ({ ...block, place: `${block.document}:${block.line}` }));

describe('the commands of the documents', () => {
  it('every block names its language, so that no command stays unchecked', () => {
    const nameless = codeBlocks.filter(({ language }) => !/^[a-z]+$/.test(language));
    expect(nameless.map(({ document, line }) => `${document}:${line}`)).toEqual([]);
    expect(codeBlocks.map(({ language }) => language)).not.toEqual(
      expect.arrayContaining(['bash', 'shell', 'console']),
    );
  });

  it.each(placed)('$place is run by a test or says why not', ({ note }) => {
    const [, test] = /^run by (\S+)$/.exec(note) ?? [];
    if (test === undefined) {
      expect(note).toMatch(/^not run: \S.*/);
      return;
    }
    expect(test).toMatch(/^tests\/.*\.test\.ts$/);
    expect(read(test)).toContain(`scriptsRunBy('${test}')`);
  });

  it('npm start, test and demo run the make targets', () => {
    const { scripts } = JSON.parse(read('package.json'));
    expect(scripts).toMatchObject({ start: 'make run', test: 'make test', demo: 'make demo' });
  });
});

describe('the toolbox', () => {
  const imports = read('tools/toolbox/main.ts').matchAll(/([a-z-]+)'?: \(\) => import\('\.\.\/(.*)'\)/g);
  const sources = new Map([...imports].map(([, name, file]) => [name, read(`tools/${file}`)]));
  const texts = documents.flatMap(({ text }) => [...text.matchAll(/(?:^|`|-- )store ([a-z][a-z-]+)([^`\n#]*)/gm)]);
  const uses = texts.filter(([, name = '']) => sources.has(name));

  it('has the documented commands and options', () => {
    expect(uses.length).toBeGreaterThan(10);
    const unknown = uses.filter(([, name, options = '']) =>
      [...options.matchAll(/--[a-z-]+/g)].some(([option]) => !sources.get(name)?.includes(option)),
    );
    expect(unknown.map(([line]) => line)).toEqual([]);
    const shown = commands.flatMap(({ text }) => [...text.matchAll(/toolbox -- store (\S+)/g)]);
    expect(shown.filter(([, name = '']) => !/^(--help|"\$@";)$/.test(name) && !sources.has(name))).toEqual([]);
  });
});

describe('make', () => {
  const targets = [...read('Makefile').matchAll(/^([a-z][a-z-]*):/gm)].map(([, target]) => target);
  const inCode = documents.flatMap(({ text }) =>
    [...text.matchAll(/`((?:\w+=\S* )*make [^`]+)`/g)].map(([, code]) => code),
  );
  const lines = [...inCode, ...commands.flatMap(({ text }) => text.split('\n'))];

  /** The targets in a line: the words after `make`, up to a variable, a comment or the next command. */
  const targetsOf = (line: string) =>
    [...line.matchAll(/(?:^|[\s;&|(])make((?: +[a-z][a-z-]*(?![\w=-]))+)/g)].flatMap(([, names = '']) =>
      names.trim().split(/ +/),
    );

  it('has every documented target', () => {
    const named = new Set(lines.flatMap((line) => targetsOf(line ?? '')));
    expect(named.size).toBeGreaterThan(20);
    expect([...named].filter((target) => !targets.includes(target))).toEqual([]);
  });

  it.each([
    ['make run', ['run']],
    ['make lint typecheck', ['lint', 'typecheck']],
    ['ORDER_PORT=18084 make run', ['run']],
    ['make images PUSH=registry.example.com/store', ['images']],
    ['make kind-up          # a cluster', ['kind-up']],
    ['cd x && make jest ARGS=services/order', ['jest']],
    ['cmake install', []],
  ])('finds the targets of: %s', (line, expected) => {
    expect(targetsOf(line)).toEqual(expected);
  });
});
