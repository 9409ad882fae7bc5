import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { timeOf } from './clock.ts';
import { onceEach, timesOf } from './ticks.ts';

const palette = ['--blue', '--green', '--orange', '--violet', '--red', '--grey'];
const hueOf = (index: number) => palette[index % palette.length] ?? '';
const height = 170;

export interface Line {
  name: string;
  /** A value for each time; null if there is none. */
  values: (number | null)[];
}

interface ChartProps {
  title: string;
  /** Milliseconds since 1970. */
  times: number[];
  lines: Line[];
  format: (value: number) => string;
}

/**
 * Lines over the last 15 minutes, with a table of their values at the cursor. Without a cursor, as for a screen reader, it has the
 * current values.
 */
export function Chart({ title, times, lines, format }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const [pointed, setPointed] = useState<number>();
  const names = lines.map(({ name }) => name).join();

  useEffect(() => {
    const element = holder.current;
    if (element === null) return undefined;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const build = () => {
      plot.current?.destroy();
      plot.current = new UPlot(optionsOf(element, lines, format, setPointed), dataOf(times, lines), element);
    };
    build();
    dark.addEventListener('change', build);
    const resized = new ResizeObserver(([entry]) => {
      if (entry) plot.current?.setSize({ width: entry.contentRect.width, height });
    });
    resized.observe(element);
    return () => {
      dark.removeEventListener('change', build);
      resized.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [names]);

  useEffect(() => plot.current?.setData(dataOf(times, lines)), [times, lines]);

  const at = pointed === undefined ? undefined : times[pointed];
  return (
    <section class="card chart" aria-label={title}>
      <h2>{title}</h2>
      <div ref={holder} aria-hidden="true" />
      <dl class="legend">
        <div>
          <dt>at</dt>
          <dd>{at === undefined ? 'now' : timeOf(at)}</dd>
        </div>
        {lines.map(({ name, values }, index) => (
          <div key={name}>
            <dt style={{ '--hue': `var(${hueOf(index)})` }}>{name}</dt>
            <dd>{textOf(values.at(pointed ?? -1), format)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const textOf = (value: number | null | undefined, format: ChartProps['format']) =>
  value === null || value === undefined ? 'none' : format(value);

const dataOf = (times: number[], lines: Line[]): UPlot.AlignedData => [
  times.map((at) => at / 1000),
  ...lines.map(({ values }) => values),
];

function optionsOf(
  holder: HTMLElement,
  lines: Line[],
  format: ChartProps['format'],
  onPoint: (index: number | undefined) => void,
): UPlot.Options {
  // Resolve the colour on an element, because a canvas does not support light-dark().
  const color = (name: string) => {
    holder.style.color = `var(${name})`;
    return getComputedStyle(holder).color;
  };
  const axis: UPlot.Axis = {
    stroke: color('--soft'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  return {
    width: holder.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    series: [
      {},
      ...lines.map((_, index) => ({
        stroke: color(hueOf(index)),
        width: 1.6,
        points: { show: false },
      })),
    ],
    axes: [
      { ...axis, label: 'UTC', labelSize: 16, labelFont: axis.font ?? '', values: (_, ticks) => timesOf(ticks) },
      { ...axis, size: 52, values: (_, ticks) => onceEach(ticks.map(format)) },
    ],
    scales: { y: { range: (_, _low, high) => [0, Math.max((high ?? 0) * 1.1, 1)] } },
  };
}
