import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CallExpression,
  getTokenAtPosition,
  isCallExpression,
  type Node,
  type SignatureDeclaration,
  type TypeParameterDeclaration,
} from 'typescript/unstable/ast';
import { API, type Checker, type Program, type Type, TypeFlags, type TypeReference } from 'typescript/unstable/sync';
import { root } from '../../../tools/paths.ts';
import type { Place, RecordedStatement } from './record.ts';

/** The type to which `pg` converts a column; `any` for JSON and for columns that no caller reads. */
type Read =
  | 'string'
  | 'number'
  | 'boolean'
  | 'Date'
  | 'Buffer'
  | 'any'
  | `${'string' | 'number' | 'boolean' | 'Date'}[]`;

const voidType = 2278;
/** By the OID of the type (pg_type.dat). */
const columnTypes: Record<number, [name: string, read: Read]> = {
  16: ['boolean', 'boolean'],
  17: ['bytea', 'Buffer'],
  19: ['name', 'string'],
  20: ['bigint', 'string'],
  21: ['smallint', 'number'],
  23: ['integer', 'number'],
  25: ['text', 'string'],
  26: ['oid', 'number'],
  114: ['json', 'any'],
  700: ['real', 'number'],
  701: ['double precision', 'number'],
  1000: ['boolean[]', 'boolean[]'],
  1003: ['name[]', 'string[]'],
  1007: ['integer[]', 'number[]'],
  1009: ['text[]', 'string[]'],
  1016: ['bigint[]', 'string[]'],
  1043: ['varchar', 'string'],
  1082: ['date', 'Date'],
  1184: ['timestamptz', 'Date'],
  1185: ['timestamptz[]', 'Date[]'],
  1700: ['numeric', 'string'],
  [voidType]: ['void', 'any'],
  2950: ['uuid', 'string'],
  2951: ['uuid[]', 'string[]'],
  3802: ['jsonb', 'any'],
};

/** The statements that all threads of a run recorded. */
export const recordedIn = (folder: string): RecordedStatement[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line));

/**
 * Compares the columns of statements with their row types: in ``run<{ id: string }>(sql`…`)`` each property has a column, each column
 * has a property, and their types fit. Ignores nulls, because PostgreSQL does not report which columns can be null.
 * @param folder for a TypeScript configuration file
 * @returns a sentence for each difference
 */
export function differencesOf(statements: readonly RecordedStatement[], folder: string): string[] {
  if (statements.length === 0) return [];
  const files = new Set(statements.flatMap(({ calls }) => calls.map(({ file }) => file)));
  const comparison = openComparison([...files], folder);
  try {
    return [...new Set(statements.flatMap(comparison.differences))].sort();
  } finally {
    comparison.close();
  }
}

/** Opens these files in TypeScript. @returns a function that compares one statement, and one that closes TypeScript */
export function openComparison(files: readonly string[], folder: string) {
  const settings = join(folder, 'tsconfig.json');
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(root, 'node_modules/@types')], types: ['node'] },
    include: [],
    files: files.map((file) => join(root, file)),
  };
  writeFileSync(settings, JSON.stringify(config));
  const api = new API({ cwd: root });
  const project = api.updateSnapshot({ openProjects: [settings] }).getProject(settings);
  if (project === undefined) throw new Error(`TypeScript does not open ${settings}`);
  const { program, checker } = project;
  const rowTypes = createRowTypes(program, checker);

  function differences({ calls, columns }: RecordedStatement): string[] {
    const [{ file, line }] = calls;
    const at = (sentence: string) => `${file}:${line}: ${sentence}`;
    const row = rowTypes.of(calls);
    if (typeof row === 'string') return [at(row)];
    if (row === undefined) return [];
    const returned = new Map(columns.map(({ name, type }) => [name, type]));
    const missing = [...row.keys()].filter((name) => !returned.has(name));
    // A void function such as pg_notify returns no value to read.
    const unread = [...returned].flatMap(([name, oid]) => (row.has(name) || oid === voidType ? [] : name));
    const unfit = [...row].flatMap(([name, type]) => {
      const oid = returned.get(name);
      if (oid === undefined) return [];
      const [columnType, read] = columnTypes[oid] ?? [];
      if (read === undefined)
        return `the column "${name}" has a type that tests/kit/statements does not know: OID ${oid}`;
      if (rowTypes.fits(read, type)) return [];
      const said = checker.typeToString(type);
      return `the column "${name}" is ${columnType}, which is read as ${read}, and the row type says ${said}`;
    });
    return [
      ...missing.map((name) => `the row type has "${name}", but the statement returns no such column`),
      ...unread.map((name) => `the statement returns the column "${name}", but the row type lacks it`),
      ...unfit,
    ].map(at);
  }

  return { differences, close: () => api.close() };
}

/** The properties of a row with their types. */
type Row = Map<string, Type>;

function createRowTypes(program: Program, checker: Checker) {
  /** The call at a place of the stack. */
  function callAt({ file, line, column }: Place): CallExpression | undefined {
    const source = program.getSourceFile(join(root, file));
    if (source === undefined) return undefined;
    const before = source.text.split('\n').slice(0, line - 1);
    const position = before.reduce((sum, text) => sum + text.length + 1, column - 1);
    let node: Node | undefined = getTokenAtPosition(source, position);
    while (node !== undefined && !isCallExpression(node)) node = node.parent;
    return node;
  }

  /** The type argument that a caller gives for a type parameter of the function it calls. */
  function argumentFor(
    parameter: Type,
    callers: readonly Place[],
  ): { type: Type; callers: readonly Place[] } | undefined {
    const declared = parameter.getSymbol()?.declarations[0]?.resolve() as TypeParameterDeclaration | undefined;
    const owner = declared?.parent as SignatureDeclaration | undefined;
    const index = owner?.typeParameters?.indexOf(declared as TypeParameterDeclaration) ?? -1;
    for (const [depth, place] of callers.entries()) {
      const call = callAt(place);
      const called = call && checker.getResolvedSignature(call)?.declaration?.resolve();
      if (called === undefined || called !== owner) continue;
      const argument = call?.typeArguments?.[index];
      const type = argument && checker.getTypeFromTypeNode(argument);
      return type && { type, callers: callers.slice(depth + 1) };
    }
    return undefined;
  }

  /** @returns undefined for `unknown`, whose rows nobody reads; a sentence if the properties cannot be determined */
  function propertiesOf(type: Type, callers: readonly Place[]): Row | string | undefined {
    if (type.flags & TypeFlags.Unknown) return undefined;
    if (type.flags & TypeFlags.Any) return 'the rows are of the type any: name their columns';
    if (type.isTypeParameter()) {
      const argument = argumentFor(type, callers);
      if (argument) return propertiesOf(argument.type, argument.callers);
      return `the row type is ${checker.typeToString(type)}, but no caller on the stack names it`;
    }
    if (!type.isIntersectionType()) return propertyMap(checker.getPropertiesOfType(type));
    const parts = (type.getTypes() ?? []).map((part) => propertiesOf(part, callers));
    const row: Row = new Map();
    for (const part of parts) {
      if (part === undefined || typeof part === 'string') return part;
      for (const [name, property] of part) row.set(name, property);
    }
    return row;
  }

  const propertyMap = (properties: ReturnType<Checker['getPropertiesOfType']>): Row =>
    new Map(properties.map((property) => [property.name, checker.getTypeOfSymbol(property) as Type]));

  const primitives: Record<string, Type | undefined> = {
    string: checker.getStringType(),
    number: checker.getNumberType(),
    boolean: checker.getBooleanType(),
  };

  return {
    /** The row type of a call of `run`, as `propertiesOf` returns it. */
    of([place, ...callers]: RecordedStatement['calls']): Row | string | undefined {
      const call = callAt(place);
      const signature = call && checker.getResolvedSignature(call);
      const promise = signature && checker.getReturnTypeOfSignature(signature);
      const [awaited] = promise ? checker.getTypeArguments(promise as TypeReference) : [];
      const rows = awaited && checker.getNonNullableType(awaited);
      if (rows === undefined || !checker.isArrayType(rows))
        return 'this call, which sends a statement, returns no rows';
      const [row] = checker.getTypeArguments(rows as TypeReference);
      return row && propertiesOf(row, callers);
    },

    /** True if a property can hold the value read from a column. */
    fits(read: Read, type: Type): boolean {
      const known = checker.getNonNullableType(type) ?? type;
      if (read === 'any' || known.flags & TypeFlags.Unknown) return true;
      if (known.flags & TypeFlags.Any) return false;
      if (!read.endsWith('[]')) return isKindOf(read, known);
      if (!checker.isArrayType(known)) return false;
      const [element] = checker.getTypeArguments(known as TypeReference);
      return element !== undefined && isKindOf(read.slice(0, -2), checker.getNonNullableType(element) ?? element);
    },
  };

  /** A union of literals counts as string, because PostgreSQL does not report the possible values. */
  function isKindOf(name: string, type: Type): boolean {
    const primitive = primitives[name];
    return primitive ? checker.isTypeAssignableTo(type, primitive) : type.getSymbol()?.name === name;
  }
}
