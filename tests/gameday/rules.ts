import type { Rule, RuleGroup } from '../kit/observability/alerts.ts';

/** How many times faster time passes for the rules: an hour is two minutes. */
export const factor = 30;

const secondsIn = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** A duration of Prometheus, such as 5m, divided by the factor. */
const shortened = (duration: string) =>
  duration.replace(/^(\d+)([smhd])$/, (_, count, unit: keyof typeof secondsIn) => {
    const milliseconds = (1_000 * Number(count) * secondsIn[unit]) / factor;
    return `${Math.round(milliseconds)}ms`;
  });

/** The rules with shorter ranges and a shorter `for`. Numbers stay as they are: 1,000 messages, 60 seconds, 1 %. */
export const shorten = (groups: RuleGroup[]): RuleGroup[] =>
  groups.map(({ name, rules }) => ({
    name,
    rules: rules.map((rule): Rule => {
      const expr = rule.expr.replaceAll(/\[(\w+)\]/g, (_, range) => `[${shortened(range)}]`);
      return { ...rule, expr, ...('for' in rule && rule.for && { for: shortened(rule.for) }) };
    }),
  }));
