import type { JSX } from 'preact';

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}

type Shapes = (soft: string, strong: string) => JSX.Element;

const compositions: Shapes[] = [
  (soft, strong) => (
    <>
      <circle cx="118" cy="62" r="40" fill={soft} />
      <path d="M62 120c14-26 40-38 66-28 14 5 24 2 32-4v32z" fill={strong} />
    </>
  ),
  (soft, strong) => (
    <>
      <path d="M84 120V70a34 34 0 0 1 68 0v50z" fill={soft} />
      <path d="M102 120V78a16 16 0 0 1 32 0v42z" fill={strong} />
    </>
  ),
  (soft, strong) => (
    <>
      <path d="M160 0v120H70C70 60 108 10 160 0z" fill={soft} />
      <circle cx="126" cy="84" r="18" fill={strong} />
    </>
  ),
  (soft, strong) => (
    <>
      <ellipse cx="112" cy="102" rx="62" ry="34" fill={soft} />
      <ellipse cx="112" cy="84" rx="34" ry="16" fill={strong} />
    </>
  ),
  (soft, strong) => (
    <>
      <path d="M120 22c30 22 30 66 0 88-30-22-30-66 0-88z" fill={soft} />
      <path d="M120 110c0-26 12-44 36-52-2 28-14 46-36 52z" fill={strong} />
    </>
  ),
];

/** A calm picture for a product without one, generated from its name and always the same. */
export function Artwork({ name }: { name: string }) {
  const number = hash(name);
  const hue = number % 360;
  const shapes = compositions[(number >>> 9) % compositions.length] as Shapes;
  const tone = (lightness: number, chroma: number, turn = 0) => `oklch(${lightness} ${chroma} ${(hue + turn) % 360})`;
  const id = `art-${number}`;
  return (
    <svg class="artwork" viewBox="0 0 160 120" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <linearGradient id={id} x1="0" y1="0" x2="1" y2="1">
        <stop offset="0" stop-color={tone(0.95, 0.03)} />
        <stop offset="1" stop-color={tone(0.88, 0.06, 24)} />
      </linearGradient>
      <rect width="160" height="120" fill={`url(#${id})`} />
      {shapes(tone(0.82, 0.08, 18), tone(0.7, 0.1, 40))}
      <text x="12" y="106" fill={tone(0.42, 0.08)}>
        {[...name][0]?.toUpperCase()}
      </text>
    </svg>
  );
}
