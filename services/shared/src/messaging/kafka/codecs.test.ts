import { gzipSync, zstdCompressSync } from 'node:zlib';
import { snappyCompress } from 'hysnappy';
import { codecs } from './codecs.ts';

// compressed.test.ts of services/consumers tests batches that Kafka's own producer and broker have compressed.

const text = Buffer.from('{"orderId":"7c9e6679"}'.repeat(40));
const uint32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const lz4Frame = (flags: number, ...parts: (Buffer | number[])[]) =>
  Buffer.concat([
    uint32(0x184d2204),
    Buffer.from([flags, 0x40, 0]),
    ...parts.map((part) => Buffer.from(part)),
    uint32(0),
  ]);
/** `abcd`, and a copy of `copied` bytes (more than 18) that repeats it. */
function lz4Block(copied: number): Buffer {
  const more = copied - 4 - 15;
  const counts = Buffer.concat([Buffer.alloc(Math.floor(more / 255), 255), Buffer.from([more % 255])]);
  return Buffer.concat([Buffer.from([0x4f]), Buffer.from('abcd'), Buffer.from([4, 0]), counts]);
}
const sized = (block: Buffer) => Buffer.concat([uint32(block.length), block]);
/** Adds the content size: eight bytes before the checksum of the header. */
const withLength = (length: number, frame: Buffer) =>
  Buffer.concat([frame.subarray(0, 6), uint32(length), uint32(0), frame.subarray(6)]);
const abcd = (length: number) => 'abcd'.repeat(length).slice(0, length);

const samples: [name: string, kind: number, compressed: Buffer, length: number][] = [
  ['gzip', 1, gzipSync(text), text.length],
  ['snappy', 2, Buffer.from(snappyCompress(text)), text.length],
  ['lz4', 3, lz4Frame(0x60, sized(lz4Block(900))), 904],
  ['zstd', 4, zstdCompressSync(text), text.length],
];
const decompress = (kind: number, bytes: Buffer, maxBytes = 1_000_000) => codecs[kind]?.decompress(bytes, maxBytes);

it.each(samples)(
  '%s is decompressed up to the given length and refused beyond it',
  async (_, kind, compressed, length) => {
    expect((await decompress(kind, compressed, length))?.length).toBe(length);
    await expect(decompress(kind, compressed, length - 1)).rejects.toThrow(
      `it is longer than ${length - 1} bytes when decompressed`,
    );
  },
);

it.each(samples)('%s that is cut off is an error', async (_, kind, compressed) => {
  for (let length = 0; length < compressed.length - 4; length += 1) {
    await expect(decompress(kind, compressed.subarray(0, length))).rejects.toThrow(Error);
  }
});

it.each(samples)('%s that is damaged is an error or another text, but never too long', async (_, kind, compressed) => {
  for (let at = 0; at < compressed.length; at += 1) {
    for (const byte of [0, 0x7f, 0x80, 0xff]) {
      const damaged = Buffer.from(compressed);
      damaged[at] = byte;
      const result = await decompress(kind, damaged, 2_000)?.catch((error) => error);
      expect(result instanceof Error || result.length <= 2_000).toBe(true);
    }
  }
});

describe('lz4', () => {
  it.each<[string, Buffer, string]>([
    ['without blocks', lz4Frame(0x60), ''],
    ['with a block that is stored', lz4Frame(0x60, uint32(0x8000_0003), Buffer.from('xyz')), 'xyz'],
    [
      'with checksums of blocks',
      lz4Frame(0x70, sized(lz4Block(30)), uint32(1), sized(lz4Block(20)), uint32(2)),
      abcd(34) + abcd(24),
    ],
    ['with its length', withLength(34, lz4Frame(0x68, sized(lz4Block(30)))), abcd(34)],
    ['with a block that ends with literals', lz4Frame(0x60, sized(Buffer.from([0x30, ...Buffer.from('xyz')]))), 'xyz'],
    [
      'with a block that continues the block before',
      lz4Frame(0x40, sized(lz4Block(20)), sized(Buffer.from([0x00, 24, 0]))),
      `${abcd(24)}abcd`,
    ],
  ])('%s', async (_, frame, expected) => {
    expect(String(await decompress(3, frame))).toBe(expected);
  });

  it.each<[string, Buffer]>([
    ['has another magic number', Buffer.concat([uint32(1), lz4Frame(0x60).subarray(4)])],
    ['needs a dictionary', lz4Frame(0x61)],
    ['copies from before its beginning', lz4Frame(0x60, sized(Buffer.from([0x10, 97, 2, 0])))],
    ['copies from distance 0', lz4Frame(0x60, sized(Buffer.from([0x10, 97, 0, 0])))],
  ])('that %s is refused', async (_, frame) => {
    await expect(decompress(3, frame)).rejects.toThrow(/it is not an LZ4 frame|a copy is from before/);
  });
});
