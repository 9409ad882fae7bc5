import { COOKIE, expectProblem, http, useGateway, VICTIM } from './_fixture.ts';

const gateway = useGateway();

describe('request smuggling', () => {
  const smuggled = `GET /accounts HTTP/1.1\r\nHost: x\r\nid-account: ${VICTIM}\r\nCookie: ${COOKIE}\r\n\r\n`;
  const chunked = 'Transfer-Encoding: chunked';
  const afterChunks = `0\r\n\r\n${smuggled}`;

  it.each([
    ['Content-Length and Transfer-Encoding', ['Content-Length: 4', chunked], afterChunks],
    ['Transfer-Encoding and Content-Length', [chunked, `Content-Length: ${smuggled.length}`], afterChunks],
    ['two lengths', ['Content-Length: 0', `Content-Length: ${smuggled.length}`], smuggled],
    ['a list of lengths', [`Content-Length: 0, ${smuggled.length}`], smuggled],
    ['a negative length', ['Content-Length: -1'], smuggled],
    ['a signed length', ['Content-Length: +0'], smuggled],
    ['a hexadecimal length', ['Content-Length: 0x0'], smuggled],
    ['an unknown encoding', ['Transfer-Encoding: xchunked'], afterChunks],
    ['two encodings', [chunked, 'Transfer-Encoding: identity'], afterChunks],
    ['a space after Transfer-Encoding', ['Transfer-Encoding : chunked'], afterChunks],
    ['a vertical tab before the encoding', ['Transfer-Encoding:\x0bchunked'], afterChunks],
    ['a broken chunk size', [chunked], `0x0\r\n\r\n${smuggled}`],
    ['an overflowing chunk size', [chunked], `10000000000000000\r\n${smuggled}`],
  ])('is rejected and ends the connection: %s', async (_, lines, body) => {
    const answer = await gateway.ask('POST /auth/login', lines, body);
    expectProblem(answer, [400, 501]);
    expect(answer.headers).toMatchObject({ connection: 'close' });
    expect(gateway.reached()).toEqual([]);
  });

  it('does not let a pipelined request skip the token check', async () => {
    const login = http('POST /auth/login', ['Content-Length: 0']);
    await gateway.send(login + http('GET /accounts', [`id-account: ${VICTIM}`]));
    expect(gateway.reached().filter(({ service }) => service !== 'auth')).toEqual([]);
  });
});
