import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { objectsIn } from '../../../tools/chart/render.ts';
import { root } from '../../../tools/paths.ts';
import { renderEdited } from '../_edited-chart.ts';

/** Has every lookup find an object if its kind is among these, and nothing otherwise. */
export const answering = (exists: string[]) => (text: string) =>
  text.replaceAll(/\(lookup "[^"]+" "(\w+)" [^)]*\)/g, (_, kind) => (exists.includes(kind) ? 'true' : 'false'));

/** The text of NOTES.txt, which helm template leaves out. */
export async function notes(values: object, exists: string[] = []): Promise<string> {
  const text = answering(exists)(await readFile(join(root, 'charts/store/templates/NOTES.txt'), 'utf8'));
  const configMap = `kind: ConfigMap\nmetadata: { name: notes }\ndata: { notes: {{ include "notes" . | toJson }} }\n`;
  const rendered = await renderEdited(
    { 'templates/notes.yaml': () => `${configMap}{{- define "notes" }}${text}{{ end }}` },
    values,
  );
  const all = objectsIn(rendered);
  return all.find(({ metadata }) => metadata.name === 'notes').data.notes;
}
