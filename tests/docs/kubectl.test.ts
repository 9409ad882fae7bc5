import type { Manifest } from '../chart/_manifests.ts';
import { clusters } from './_clusters.ts';
import { codeBlocks, documentAt, documents } from './_documents.ts';

// Each documented kubectl command must find something in a cluster with a preset installed: with a wrong label or container, kubectl
// would silently show nothing.

interface Command {
  place: string;
  text: string;
}

const commandsIn = (text: string) =>
  text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => [...line.matchAll(/\bkubectl (.*)/g)].map(([, command = '']) => command));

const commands: Command[] = [
  ...codeBlocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ document, line, text }) =>
      commandsIn(text).map((one) => ({ place: `${document}:${line}`, text: one })),
    ),
  ...documents.flatMap(({ path, text }) =>
    [...text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '').matchAll(/`kubectl ([^`]+)`/g)].map(([, one = '']) => ({
      place: path,
      text: one.replaceAll(/\s+/g, ' '),
    })),
  ),
];

/** The words up to the end of the command, without quotes. */
function wordsOf(text: string): string[] {
  const words = text.match(/(?:[^\s'"|;)#<&]|'[^']*'|"(?:\\.|[^"\\])*")+|[|;)#<&]/g) ?? [];
  const end = words.findIndex((word) => /^[|;)#<&]$/.test(word));
  return (end < 0 ? words : words.slice(0, end)).map((word) => word.replaceAll(/["']/g, ''));
}

const kinds: Record<string, string> = {
  backups: 'Backup',
  certificate: 'Certificate',
  cluster: 'Cluster',
  cronjob: 'CronJob',
  database: 'Database',
  deploy: 'Deployment',
  deployment: 'Deployment',
  hpa: 'HorizontalPodAutoscaler',
  httproute: 'HTTPRoute',
  job: 'Job',
  kafka: 'Kafka',
  kafkanodepool: 'KafkaNodePool',
  kafkatopic: 'KafkaTopic',
  kafkauser: 'KafkaUser',
  objectstore: 'ObjectStore',
  pod: 'Pod',
  pooler: 'Pooler',
  pvc: 'PersistentVolumeClaim',
  scheduledbackup: 'ScheduledBackup',
  secret: 'Secret',
  service: 'Service',
  statefulset: 'StatefulSet',
};

function kindOf(word: string): string {
  const [name = ''] = word.split('.');
  const kind = kinds[name] ?? kinds[name.replace(/s$/, '')];
  if (kind === undefined) throw new Error(`This test does not know the kind ${word}`);
  return kind;
}

/** Options that take a value, as in `-l app=x`. */
const valued = ['-n', '-l', '-o', '-c', '-p', '-f', '--tail', '--from', '--replicas', '--field-manager', '--timeout'];

interface Parsed {
  verb: string;
  rest: string[];
  options: Map<string, string>;
}

function parse(text: string): Parsed {
  const [rest, options]: [string[], Map<string, string>] = [[], new Map()];
  const words = wordsOf(text);
  // Words after -- belong to another command.
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  for (let word = own.shift(); word !== undefined; word = own.shift()) {
    const [name = '', value] = word.split(/=(.*)/s);
    if (!word.startsWith('-')) rest.push(word);
    else options.set(name, value ?? (valued.includes(name) ? own.shift() : undefined) ?? '');
  }
  return { verb: rest.shift() ?? '', rest, options };
}

/** The command with shell variables replaced by the values that alerts or earlier commands give them. */
function variants(text: string, all: Manifest[]): string[] {
  const namesOf = (kind: string) => all.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
  const primary = all.find(({ metadata }) => metadata.labels?.['cnpg.io/instanceRole'] === 'primary');
  const postgres = primary?.metadata.name ?? 'postgres-0';
  const values: Record<string, string[]> = {
    // In alerts about services, only services.
    SERVICE: namesOf('Deployment').filter((name) => !/toolbox|store-database-pooler/.test(name)),
    DEPLOYMENT: namesOf('Deployment'),
    JOB: namesOf('Job'),
    POSTGRES: [`pod/${postgres}`],
    PRIMARY: [`pod/${postgres}`],
    POD: [postgres],
    ME: ['ada'],
  };
  const found = /\$\{?([A-Z]+)\}?/.exec(text);
  if (!found) return [text];
  const [whole, name = ''] = found;
  const given = values[name];
  if (!given) throw new Error(`This test does not know the variable $${name}: ${text}`);
  return given.flatMap((value) => variants(text.replaceAll(whole, value), all));
}

const isSelected = ({ metadata }: Manifest, selector: string) =>
  selector.split(',').every((term) => {
    const [label = '', value] = term.split('=');
    return metadata.labels?.[label] === value;
  });

/** The objects that a command names, as a list for each word: `pod/x`, `pods x y`, `kafka,pods`. */
function named(rest: string[], options: Map<string, string>, all: Manifest[]): Manifest[][] {
  const [first = '', ...names] = rest;
  const selector = options.get('-l');
  const chosen = (kind: string) => all.filter((one) => one.kind === kind && (!selector || isSelected(one, selector)));
  if (first.includes('/'))
    return rest.map((word) => {
      const [kind = '', name] = word.split('/');
      return chosen(kindOf(kind)).filter(({ metadata }) => metadata.name === name);
    });
  if (names.length === 0) return first.split(',').map((kind) => chosen(kindOf(kind)));
  return names
    .filter((name) => !name.includes('='))
    .map((name) => chosen(kindOf(first)).filter(({ metadata }) => metadata.name === name));
}

/** The pods that logs and exec name, including a pod by its bare name. */
function podsNamed(rest: string[], options: Map<string, string>, all: Manifest[]): Manifest[] {
  const selector = options.get('-l');
  const pods = all.filter(({ kind }) => kind === 'Pod');
  if (selector) return pods.filter((one) => isSelected(one, selector));
  const [target = ''] = rest;
  if (!target.includes('/')) return pods.filter(({ metadata }) => metadata.name === target);
  const [owner] = named([target], new Map(), all).flat();
  if (owner?.kind === 'Pod') return [owner];
  return pods.filter(({ metadata }) => owner && metadata.name.startsWith(`${owner.metadata.name}-`));
}

/** The objects that each word of a command finds; undefined for a command that looks up nothing. */
function found({ verb, rest, options }: Parsed, all: Manifest[]): Manifest[][] | undefined {
  switch (verb) {
    case 'get':
    case 'delete':
      return rest[0] === 'events' || rest[0] === 'namespace' ? undefined : named(rest, options, all);
    case 'describe':
    case 'annotate':
    case 'edit':
    case 'patch':
    case 'port-forward':
    case 'scale':
    case 'wait':
      return named(verb === 'port-forward' ? rest.slice(0, 1) : rest, options, all);
    case 'rollout':
      return rest.length > 1 ? named(rest.slice(1), options, all) : undefined;
    case 'logs':
    case 'exec': {
      const pods = podsNamed(rest.slice(0, 1), options, all);
      const container = options.get('-c');
      const has = ({ spec }: Manifest) =>
        [...spec.containers, ...(spec.initContainers ?? [])].some(({ name }: Manifest) => name === container);
      return [container ? pods.filter(has) : pods];
    }
    case 'create':
      return rest[0] === 'job' ? named([options.get('--from') ?? ''], new Map(), all) : undefined;
    case 'apply':
    case 'auth':
    case 'set':
    case 'top':
      return undefined;
    default:
      throw new Error(`This test does not know kubectl ${verb}`);
  }
}

/** Commands for another namespace or for an object that the same page creates, and mentions of a command without its object. */
const elsewhere = /-n cnpg-system|postgres-before-19|^scale|store-backups/;

const installed = await clusters();
const checked = commands.filter(({ text }) => !elsewhere.test(text));

it('the documents have kubectl commands', () => {
  expect(checked.length).toBeGreaterThan(80);
});

it.each(checked)('$place: kubectl $text', ({ text }) => {
  const empty = installed.map((all) =>
    variants(text, all).filter((one) => found(parse(one), all)?.some((objects) => objects.length === 0)),
  );
  // It is enough if one cluster has everything.
  expect(empty.find((one) => one.length === 0) ?? empty).toEqual([]);
});

describe('the commands that remove everything', () => {
  const [, section = ''] = /^### Remove everything$([\s\S]*?)^## /m.exec(documentAt('docs/kubernetes.md').text) ?? [];
  const removing = commandsIn(section)
    .map(parse)
    .filter(({ verb }) => verb === 'delete');

  /** Objects that an uninstall keeps or does not know. CloudNativePG's volumes belong to its Cluster. */
  const isKept = ({ kind, metadata }: Manifest) =>
    metadata.annotations?.['helm.sh/resource-policy'] === 'keep' ||
    (kind === 'PersistentVolumeClaim' && !metadata.labels?.['cnpg.io/cluster']);

  it.each(installed.map((all, index) => [['with its own PostgreSQL and Kafka', 'by operators'][index], all] as const))(
    'delete everything that an uninstall keeps of a store %s',
    (_, all) => {
      const deleted = new Set(
        removing.flatMap((one) => (one.rest[0] === 'namespace' ? [] : (found(one, all) ?? []).flat())),
      );
      const left = all.filter((one) => isKept(one) && !deleted.has(one));
      expect(left.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    },
  );

  it('let operators release their resources before they are deleted, and delete the namespace last', () => {
    const order = removing.map(({ rest }) => rest[0]);
    const at = (words: string) => order.findIndex((word) => word?.includes(words));
    expect(at('kafkatopics')).toBeLessThan(at('kafka,'));
    expect(at('databases.')).toBeLessThan(at('clusters.'));
    expect(at('jobs')).toBeLessThan(at('pvc'));
    expect(order.at(-1)).toBe('namespace');
  });
});

it("the runbook on Kafka's controllers reads the logs of controllers", () => {
  const [, section = ''] =
    /^## StoreKafkaNoController$([\s\S]*?)^\*\*Fix/m.exec(documentAt('docs/runbooks/kafka.md').text) ?? [];
  const [command = ''] = commandsIn(section).filter((one) => one.includes(' logs '));
  const pods = found(parse(command), installed.at(-1) ?? [])?.flat() ?? [];
  expect(pods.map(({ metadata }) => metadata.name)).toEqual([3, 4, 5].map((id) => `store-controllers-${id}`));
});
