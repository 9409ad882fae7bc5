import koffi from 'koffi';
import type { Options, Reply } from './helm-library.ts';

// Loads the native library whose path is its argument, and renders by the options that it is sent.

const [path = ''] = process.argv.slice(2);
const library = koffi.load(path);

const text = koffi.disposable('str'); // freed when it has been copied
koffi.struct('Result', { out: text, err: text, stdOut: text, stdErr: text });

// As in helm-linux-*.h, which lies beside the library in its artifact. What a call leaves out is 0 or NULL.
koffi.struct('TemplateOptions', {
  name: 'str',
  version: 'str',
  chart: 'str',
  namespace: 'str',
  kubeVersion: 'str',
  dependencyUpdate: 'int',
  skipCRDs: 'int',
  values: 'str',
  setFiles: 'str',
  valuesFiles: 'str',
  certFile: 'str',
  keyFile: 'str',
  caFile: 'str',
  insecureSkipTlsVerify: 'int',
  plainHttp: 'int',
  keyring: 'str',
  debug: 'int',
  repositoryConfig: 'str',
});
const template = library.func('Result Template(TemplateOptions *options)');

process.on('message', (options: Options) => {
  const { out, err } = template(options);
  const reply: Reply = { out: out ?? '', err: err ?? '' };
  process.send?.(reply);
});
process.on('disconnect', () => process.exit());
