import { type BuiltService, buildServices } from '../../tools/api/build-services.ts';
import { topology } from '../../tools/topology/topology.ts';
import { documentAt, inCode, tableWith } from './_documents.ts';

const contract = documentAt('docs/contract.md');

/** Both ways: a row too many fails, and so does one that is missing. */
const expectSame = (documented: string[], actual: string[]) => expect(documented.sort()).toEqual(actual.sort());

it('the local run names the ports of all services', () => {
  const { text } = documentAt('docs/local-run.md');
  for (const { name, localPort } of topology.services) expect(text).toContain(`${name} ${localPort}`);
});

describe('what the contract says of the services', () => {
  let built: BuiltService[];

  beforeAll(async () => {
    built = await buildServices();
  });

  it('6.8: the consumer groups and the kinds that each handles', () => {
    const documented = tableWith(contract, 'Group', 'Component', 'Handles').map(
      ([group, component, kinds]) => `${inCode(group)[0]} (${component}): ${inCode(kinds).sort()}`,
    );
    const actual = Object.entries(topology.groups).map(([group, { name }]) => {
      const { kinds = [] } = built.find((service) => service.name === name) ?? {};
      return `${group} (${name}): ${[...kinds].sort()}`;
    });
    expectSame(documented, actual);
  });

  it('6.3: who handles each kind', () => {
    const documented = tableWith(contract, 'Event', 'By', 'When', 'Payload', 'Handled by').map(
      ([kind, , , , users = '']) =>
        `${inCode(kind)[0]}: ${users.replace('order worker', 'order-worker').split(', ').sort()}`,
    );
    const kinds = new Set(built.flatMap((service) => service.kinds));
    const actual = [...kinds].map((kind) => {
      const users = built.filter((service) => service.kinds.includes(kind)).map(({ name }) => name);
      return `${kind}: ${users.sort()}`;
    });
    expectSame(documented, actual);
  });
});
