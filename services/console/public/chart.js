import { html, useEffect, useRef } from './vendor/preact.js';
import UPlot from './vendor/uplot.js';

const palette = ['--blue', '--green', '--orange', '--violet', '--red', '--grey'];
const height = 170;

/**
 * Lines over the last 15 minutes, with a table of what they say now, which is what a screen reader reads.
 * @param lines [{ name, values, color? }], a value for each time; null where there is none
 * @param format of a value
 */
export function Chart({ title, times, lines, format }) {
  const holder = useRef(null);
  const plot = useRef(undefined);
  const names = lines.map(({ name }) => name).join();

  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const build = () => {
      plot.current?.destroy();
      plot.current = new UPlot(optionsOf(holder.current, lines, format), dataOf(times, lines), holder.current);
    };
    build();
    dark.addEventListener('change', build);
    const resized = new ResizeObserver(([{ contentRect }]) =>
      plot.current.setSize({ width: contentRect.width, height }),
    );
    resized.observe(holder.current);
    return () => {
      dark.removeEventListener('change', build);
      resized.disconnect();
      plot.current.destroy();
      plot.current = undefined;
    };
  }, [names]);

  useEffect(() => {
    plot.current?.setData(dataOf(times, lines));
  }, [times, lines]);

  return html`<section class="card chart" aria-label=${title}>
    <h2>${title}</h2>
    <div ref=${holder} aria-hidden="true"></div>
    <dl class="legend">
      ${lines.map(
        ({ name, values }, index) => html`<div key=${name}>
          <dt class=${`line-${index % palette.length}`}>${name}</dt>
          <dd>${values.at(-1) === null || values.length === 0 ? 'none' : format(values.at(-1))}</dd>
        </div>`,
      )}
    </dl>
  </section>`;
}

const dataOf = (times, lines) => [times.map((at) => at / 1000), ...lines.map(({ values }) => values)];

function optionsOf(holder, lines, format) {
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = {
    stroke: color('--soft'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  return {
    ...{
      width: holder.clientWidth,
      height,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
    },
    series: [
      {},
      ...lines.map((_, index) => ({
        stroke: color(palette[index % palette.length]),
        width: 1.6,
        points: { show: false },
      })),
    ],
    axes: [axis, { ...axis, size: 52, values: (_, ticks) => ticks.map(format) }],
    scales: { y: { range: (_, _low, high) => [0, Math.max(high * 1.1, 1)] } },
  };
}
