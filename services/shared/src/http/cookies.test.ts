import express from 'express';
import request from 'supertest';
import { z } from 'zod';
import { cpuMicroseconds, longHeader, scanMicroseconds } from '../../../../tests/kit/cpu.ts';
import { seededRandom } from '../../../../tests/kit/random.ts';
import { cookieReader, readCookies } from './cookies.ts';

const read = cookieReader('token');

/** The same rule in simple code, regardless of cost. */
function allValues(header: string): string[] {
  const pairs = header.split(/[;,]/).map((pair) => /^([^=]*)=(.*)$/s.exec(pair) ?? []);
  const values = pairs.filter(([, name]) => name?.trim() === 'token').map(([, , value = '']) => value.trim());
  return [...new Set(values.map((value) => /^"(.*)"$/s.exec(value)?.[1] ?? value))];
}

it.each([
  ['nothing', undefined, []],
  ['a value', 'a=1; token=x.y-z', ['x.y-z']],
  ['white space', ' \t token\u00a0= x ', ['x']],
  ['a value with =', 'token=x=y', ['x=y']],
  ['no value', 'token=', ['']],
  ['a quoted value', 'token="x"', ['x']],
  ['a quote at one end as it is', 'token="x; token=y"', ['"x', 'y"']],
  ['a repeated value once', 'token=x; token="x", token= x', ['x']],
  ['a second value after a repeated one', 'token=x; token=x; token=y', ['x', 'y']],
  ['two values, one of them empty', 'token=; token=x', ['', 'x']],
  ['two values joined by a proxy', 'token=x,token=y', ['x', 'y']],
  ['the first two of three', 'token=1;token=2;token=3', ['1', '2']],
  ['no other name', 'xtoken=1; tokens=2; Token=3; a=token=4; token; to ken=5', []],
])('reads %s', (_, header, values) => {
  expect(read(header)).toEqual(values);
});

it('treats a cookie that is repeated more than ten times as different values', () => {
  expect(read('token=x;'.repeat(10))).toEqual(['x']);
  expect(read('token=x;'.repeat(11))).toEqual(['x', '']);
});

it('reads the same values as splitting the header, in any combination of parts', () => {
  const parts = ['token', 'token=', ';', ',', '=', ' ', '\t', '\u00a0', 'a', '"', 'toke', 'x'];
  const random = seededRandom(1);
  for (let n = 0; n < 20_000; n += 1) {
    const length = 1 + (n % 9);
    const header = Array.from({ length }, () => parts[random(parts.length)]).join('');
    expect([header, read(header)]).toEqual([header, allValues(header).slice(0, 2)]);
  }
});

// Splitting costs 60 scans.
it.each([';', '; ', ';        ', 'a=;', 'token ', ';token ', 'a=token;', ';toke', 'token=x;', '='])(
  'costs at most 10 scans for a long header of %j',
  (text) => {
    const header = longHeader(text);
    for (const hostile of [header, `${header};token=x`, `token${header}x`, `x${header}token=x`])
      expect(cpuMicroseconds(() => read(hostile))).toBeLessThan(10 * scanMicroseconds(hostile));
  },
);

describe('a route that names a cookie', () => {
  const app = express();
  app.get('/', ...readCookies(z.object({ token: z.string() })), (req, res) => void res.json(req.cookies));

  it.each([
    ['unquoted and decoded', 'a=1; token="x%2Ey"; b=2', { token: 'x.y' }],
    ['the first of two', 'token=x,token=y', { token: 'x' }],
    ['not at all where it is missing', 'a=j:{}; b=j:{', {}],
  ])('gets only this cookie, %s', async (_, cookie, cookies) => {
    expect((await request(app).get('/').set('Cookie', cookie)).body).toEqual(cookies);
  });

  it('gets nothing from a request without cookies', async () => {
    expect((await request(app).get('/')).body).toEqual({});
  });
});
