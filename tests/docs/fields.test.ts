import { type BuiltService, buildServices, type Property } from '../../tools/api/build-services.ts';
import { type Document, documentAt, inCode, sectionOf, tableWith } from './_documents.ts';

const contract = documentAt('docs/contract.md');

/** The names that a section of the contract has. */
type Names = (section: Document, actual: string[]) => string[];
type Documented = [section: string, names: Names];
type Row = string[];

/** The names in the first column of a table; `items[]` stands for the list and, in the next column, its fields. */
const named =
  (...columns: string[]): Names =>
  (section) =>
    tableWith(section, ...columns).flatMap(([names, type]) =>
      inCode(names).flatMap((name) =>
        name.endsWith('[]') ? [name.slice(0, -2), ...inCode(type).map((field) => `${name}.${field}`)] : [name],
      ),
    );
/** Those of a table with the columns In and Out that a request, or a response, has. */
const passing = (column: 'In' | 'Out'): Names => {
  const isPassed = (row: Row) => row[column === 'In' ? 2 : 3] !== '-';
  return (section) =>
    tableWith(section, 'Field', 'Type', 'In', 'Out').flatMap((row) => (isPassed(row) ? inCode(row[0]) : []));
};
/** Those of a collection of 4.10. */
const listed = (path: string, column: 'Fields' | 'Filters'): Names => {
  const isOf = ([request = '']: Row) => request.includes(`\`GET ${path}\``);
  return (section) => {
    const row = tableWith(section, 'Request', 'Fields', 'Filters').find(isOf);
    return inCode(row?.[column === 'Fields' ? 1 : 2]).map((name) => name.replace('[]', ''));
  };
};
/** Those that the text names as code, such as `{"available": 5}`, where it has no table. */
const mentioned: Names = ({ text }, actual) => {
  const words = inCode(text).flatMap((code) => code.match(/\w+/g) ?? []);
  return actual.filter((name) => words.includes(name.replace(/^.*\./, '')));
};

/** Where the contract has the fields of a schema that is not the In or Out of a table in section 4. */
const schemasIn: Record<string, Documented> = {
  TokenIn: ['3.4', mentioned],
  SolveOut: ['3.4', mentioned],
  Credentials: ['3.4', mentioned],
  Money: ['4.2', mentioned],
  ProductChange: ['4.4', mentioned],
  OrderIn: ['4.5', named('Field of a request')],
  OrderOut: ['4.5', named('Field of an order')],
  OrderChange: ['4.6', mentioned],
  CancellationOut: ['4.6', mentioned],
  OrderEvent: ['4.11', mentioned],
  StationStatus: ['4.8', named('Field')],
  StockIn: ['4.9', mentioned],
  StockOut: ['4.9', mentioned],
  NotificationOut: ['4.10', listed('/notifications', 'Fields')],
  FiguresOut: ['4.10', listed('/figures', 'Fields')],
  InvoiceOut: ['4.10', listed('/invoices', 'Fields')],
  Problem: ['7.1', mentioned],
};

/** Where it has the parameters of a collection, beside those of section 5.1 and of text. */
const parametersIn: Record<string, Documented> = {
  '/api/v1/status/': ['4.8', named('Parameter')],
  '/notifications': ['4.10', listed('/notifications', 'Filters')],
  '/figures': ['4.10', listed('/figures', 'Filters')],
  '/invoices': ['4.10', listed('/invoices', 'Filters')],
};
const ofCollections = ['page', 'size', 'sort', 'after'];

/** The fields of a schema, and those of the objects in a list as `items[].quantity`. */
const fieldsOf = ({ properties = {} }: Property): string[] =>
  Object.entries(properties).flatMap(([name, { items }]) => [
    name,
    ...Object.keys(items?.properties ?? {}).map((field) => `${name}[].${field}`),
  ]);

/** Returns sentences on the fields that only one of them has. */
function differences([number, names]: Documented, of: string, actual: string[]): string[] {
  const documented = names(sectionOf(contract, number), actual);
  return [
    ...actual.filter((name) => !documented.includes(name)).map((name) => `${number} lacks ${name}, which ${of} has`),
    ...documented.filter((name) => !actual.includes(name)).map((name) => `${number} has ${name}, which ${of} lacks`),
  ];
}

/** Finds for any other schema the section of 4 whose table is most like it. */
function mostAlike(id: string, actual: string[]): Documented | undefined {
  const names = passing(id.endsWith('In') ? 'In' : 'Out');
  const numbers = [...contract.text.matchAll(/^### (4\.\d+) /gm)].map(([, number = '']) => number);
  const places = numbers
    .filter((number) => sectionOf(contract, number).text.includes('| Field | Type | In | Out |'))
    .map((number): Documented => [number, names]);
  const distance = (place: Documented) => differences(place, id, actual).length;
  return places.sort((a, b) => distance(a) - distance(b))[0];
}

let services: BuiltService[];

beforeAll(async () => {
  services = await buildServices();
});

it('sections 3, 4 and 7 of the contract have the fields of the OpenAPI documents', () => {
  const schemas = Object.assign({}, ...services.map(({ schemas }) => schemas)) as Record<string, Property>;
  // The envelope of a page is that of 5.2.
  const ids = Object.keys(schemas).filter((id) => !id.endsWith('Page'));
  const found = ids.flatMap((id) => {
    const fields = fieldsOf(schemas[id] ?? {});
    const documented = schemasIn[id] ?? mostAlike(id, fields);
    return documented === undefined ? [`The contract has no place for ${id}`] : differences(documented, id, fields);
  });
  const gone = Object.keys(schemasIn).filter((id) => !ids.includes(id));
  expect([...found, ...gone.map((id) => `No service has the schema ${id} of this test`)]).toEqual([]);
});

it.each(Object.entries(parametersIn))('the contract has the parameters of GET %s', (path, documented) => {
  const operation = services.map(({ paths }) => paths[path]?.get).find((get) => get !== undefined);
  const inQuery = operation?.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name) ?? [];
  const own = path.startsWith('/api/') ? inQuery : inQuery.filter((name) => !ofCollections.includes(name));
  expect(differences(documented, `GET ${path}`, own)).toEqual([]);
});
