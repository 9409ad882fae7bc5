import { Tool } from '../run-command.ts';
import { writeChanged } from '../write-changed.ts';

// make golden: writes the files that follow from the chart. git diff then shows what a change does to a cluster.

await new Tool('make golden')
  .description('Writes the files that follow from the chart, and prints those that have changed.')
  .action(async () => {
    // Imported here, because the import reads the topology, and Tool prints its errors as a sentence.
    const { schemaTexts, textsOfChart } = await import('./texts.ts');
    // The schemas first, because they check what is rendered for the others.
    await writeChanged(schemaTexts, textsOfChart);
  })
  .run();
