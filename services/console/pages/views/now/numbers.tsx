import { count, rate, seconds } from '../../parts/values.ts';
import type { State } from './state.ts';

type Point = State['points'][number];

interface Figure {
  name: string;
  of(point: Point): number | null;
  format(value: number): string;
  /** Page that lists the counted things. */
  page?: string;
  /** More than 0 is bad. */
  shouldBe0?: boolean;
}

const oldest = ({ outbox }: Point) => (Object.keys(outbox).length === 0 ? null : Math.max(...Object.values(outbox)));

/** The figures to look at first. */
const figures: Figure[] = [
  { name: 'Orders per second', of: ({ rates }) => rates.placed ?? null, format: rate },
  { name: 'p95 to confirmed', of: ({ p95 }) => p95, format: seconds },
  { name: 'Stuck orders', of: ({ stuck }) => stuck, format: count, page: '#/orders', shouldBe0: true },
  { name: 'Open dead letters', of: ({ letters }) => letters, format: count, page: '#/dead-letters', shouldBe0: true },
  { name: 'Oldest in an outbox', of: oldest, format: seconds },
];

/** Each with a line over the last 15 minutes. */
export function Numbers({ points }: { points: Point[] }) {
  return (
    <ul class="numbers" aria-label="Numbers">
      {figures.map((figure) => (
        <FigureOf key={figure.name} figure={figure} values={points.map(figure.of)} />
      ))}
    </ul>
  );
}

function FigureOf({
  figure: { name, format, page, shouldBe0 },
  values,
}: {
  figure: Figure;
  values: (number | null)[];
}) {
  const last = values.at(-1) ?? null;
  const isBad = shouldBe0 && last !== null && last > 0;
  const text = last === null ? '–' : format(last);
  return (
    <li class="card">
      <span class="name">{page === undefined ? name : <a href={page}>{name}</a>}</span>
      <strong class={isBad ? 'bad' : undefined}>{text}</strong>
      <svg viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
        <path d={pathOf(values)} />
      </svg>
    </li>
  );
}

/** Draws values from left to right, with gaps where none is known; the highest value is at the top. */
function pathOf(values: (number | null)[]): string {
  const highest = Math.max(...values.map((value) => value ?? 0), Number.EPSILON);
  const step = 100 / Math.max(values.length - 1, 1);
  return values
    .map((value, index) => {
      if (value === null) return '';
      const isFirst = index === 0 || values[index - 1] === null;
      return `${isFirst ? 'M' : 'L'}${(index * step).toFixed(1)},${(28 - (26 * value) / highest).toFixed(1)}`;
    })
    .join('');
}
