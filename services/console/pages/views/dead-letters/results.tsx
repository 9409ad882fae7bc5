import type { Outcomes } from './letter.ts';

interface ResultsProps {
  outcomes: Outcomes | undefined;
  problem: string | undefined;
}

/** Shows the outcome for each decided letter. */
export function Results({ outcomes, problem }: ResultsProps) {
  if (outcomes === undefined) return <div role="status" />;
  const { results, dryRun } = outcomes;
  return (
    <div class="said" role="status">
      {problem && <p class="problem">{problem} Letters that are not listed as done stay open.</p>}
      <ul>
        {results.map((result) => (
          <li key={result.id}>
            <code>{result.id}</code> {fateOf(result, dryRun)}
          </li>
        ))}
      </ul>
      {dryRun && <p>Dry run: nothing was changed.</p>}
    </div>
  );
}

function fateOf({ outcome, error, decision, effect }: Outcomes['results'][number], dryRun: boolean): string {
  if (effect !== undefined) return effect;
  if (outcome === 'FAILED') return `${dryRun ? 'would fail' : 'failed'} again: ${error}`;
  if (outcome === 'DECIDED') {
    const by = decision?.requestedBy ?? 'someone';
    return `had been ${decision?.outcome.toLowerCase() ?? 'decided'} by ${by}: nothing was done`;
  }
  return `${dryRun ? 'would be ' : ''}${outcome.toLowerCase()}`;
}
