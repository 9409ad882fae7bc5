import type { AnswerTo } from '../../api/call.ts';

type Step = AnswerTo<'showOrder'>['timeline'][number];

/** In the sequence in which they handle an order. */
const known = ['order', 'inventory', 'payment', 'notification', 'invoice', 'analytics'];

/**
 * A lane for each service, and a dot for each step. Distances grow with the logarithm of the time, so that even steps at the same moment
 * stand apart.
 */
export function Lanes({ steps }: { steps: Step[] }) {
  const lanes = [...new Set(steps.map(({ service }) => service))].sort((a, b) => rank(a) - rank(b));
  const places = placesOf(steps.map(({ at }) => Date.parse(at)));
  const first = Date.parse(steps[0]?.at ?? '');
  const dots = steps.map((step, index) => ({
    ...step,
    x: places[index] ?? 0,
    since: sinceText(Date.parse(step.at) - first),
  }));
  return (
    <div class="lanes" aria-hidden="true">
      {lanes.map((lane) => (
        <div class="lane" key={lane}>
          <span>{lane}</span>
          <svg height="24" width="100%" aria-hidden="true">
            <line x1="0" x2="100%" y1="12" y2="12" />
            {dots.map(
              ({ at, service, text, isBad, x, since }) =>
                service === lane && (
                  <circle key={`${at} ${text}`} class={isBad ? 'bad' : undefined} cx={`${x}%`} cy="12" r="5">
                    <title>{`${text}, ${since} after it was placed`}</title>
                  </circle>
                ),
            )}
          </svg>
        </div>
      ))}
      <div class="lane">
        <span />
        <svg height="18" width="100%" aria-hidden="true">
          {apart(dots).map(({ x, since }) => (
            <text key={x} x={`${x}%`} y="13" text-anchor={x > 90 ? 'end' : x < 10 ? 'start' : 'middle'}>
              {since}
            </text>
          ))}
        </svg>
      </div>
    </div>
  );
}

const rank = (lane: string) => (known.indexOf(lane) + known.length + 1) % (known.length + 1);

/** Positions in percent from the left. */
function placesOf(times: number[]): number[] {
  let sum = 0;
  const sums = times.map((time, index) => {
    if (index > 0) sum += Math.log2(2 + Math.max(0, time - (times[index - 1] ?? time)) / 10);
    return sum;
  });
  return sums.map((one) => 2 + (96 * one) / (sum || 1));
}

/** The dots whose labels do not overlap, from the left. */
function apart<Dot extends { x: number }>(dots: Dot[]): Dot[] {
  let last = Number.NEGATIVE_INFINITY;
  return dots.filter(({ x }) => {
    if (x - last < 28) return false;
    last = x;
    return true;
  });
}

function sinceText(ms: number): string {
  if (ms < 1_000) return `+${ms} ms`;
  if (ms < 120_000) return `+${(ms / 1_000).toFixed(1)} s`;
  return ms < 7_200_000 ? `+${Math.round(ms / 60_000)} min` : `+${Math.round(ms / 3_600_000)} h`;
}
