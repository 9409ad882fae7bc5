import { COOKIE, type Fixture, http, startUnlimited, VICTIM } from './_fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startUnlimited();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.clear());

describe('request smuggling', () => {
  const smuggled = `GET /accounts HTTP/1.1\r\nHost: x\r\nid-account: ${VICTIM}\r\nCookie: ${COOKIE}\r\n\r\n`;

  it.each([
    [
      'Content-Length and Transfer-Encoding',
      ['Content-Length: 4', 'Transfer-Encoding: chunked'],
      `0\r\n\r\n${smuggled}`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      ['Transfer-Encoding: chunked', `Content-Length: ${smuggled.length}`],
      `0\r\n\r\n${smuggled}`,
    ],
    ['two lengths', ['Content-Length: 0', `Content-Length: ${smuggled.length}`], smuggled],
    ['a list of lengths', [`Content-Length: 0, ${smuggled.length}`], smuggled],
    ['a negative length', ['Content-Length: -1'], smuggled],
    ['a signed length', ['Content-Length: +0'], smuggled],
    ['a hexadecimal length', ['Content-Length: 0x0'], smuggled],
    ['an unknown encoding', ['Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`],
    ['two encodings', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], `0\r\n\r\n${smuggled}`],
    ['a space after Transfer-Encoding', ['Transfer-Encoding : chunked'], `0\r\n\r\n${smuggled}`],
    ['a vertical tab before the encoding', ['Transfer-Encoding:\x0bchunked'], `0\r\n\r\n${smuggled}`],
    ['a broken chunk size', ['Transfer-Encoding: chunked'], `0x0\r\n\r\n${smuggled}`],
    ['an overflowing chunk size', ['Transfer-Encoding: chunked'], `10000000000000000\r\n${smuggled}`],
  ])('is rejected and ends the connection: %s', async (_, lines, body) => {
    const response = await fixture.send(http('POST /auth/login', lines, body));
    expect([400, 501]).toContain(response.status);
    expect(response.headers).toMatchObject({ 'content-type': 'application/problem+json', connection: 'close' });
    expect(fixture.reached()).toEqual([]);
  });

  it('does not let a pipelined request skip the token check', async () => {
    const login = http('POST /auth/login', ['Content-Length: 0']);
    await fixture.send(Buffer.from(login + http('GET /accounts', [`id-account: ${VICTIM}`])));
    expect(fixture.reached().filter(({ service }) => service !== 'auth')).toEqual([]);
  });
});
