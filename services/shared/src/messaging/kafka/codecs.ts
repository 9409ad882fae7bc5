import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';

// Decompression of the records of a Kafka batch. zlib works in its own threads.

/** By the lowest three bits of a batch's attributes (Kafka, "Record Batch"); 0 means uncompressed. */
export const codecs: Record<number, { name: string; decompress: Decompress } | undefined> = {
  1: {
    name: 'gzip',
    decompress: (bytes, maxBytes) => unzip(bytes, { maxOutputLength: maxBytes }).catch(zlibError(maxBytes)),
  },
  2: { name: 'snappy', decompress: decompressSnappy },
  3: { name: 'lz4', decompress: decompressLz4 },
  4: {
    name: 'zstd',
    decompress: (bytes, maxBytes) => unzstd(bytes, { maxOutputLength: maxBytes }).catch(zlibError(maxBytes)),
  },
};

/** @throws an error if the bytes are damaged, or longer than `maxBytes` when decompressed; it stops at that length */
type Decompress = (bytes: Buffer, maxBytes: number) => Promise<Buffer>;

const unzip = promisify(gunzip);
const unzstd = promisify(zstdDecompress);
const zlibError = (maxBytes: number) => (error: NodeJS.ErrnoException) => {
  throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLong(maxBytes) : error;
};

const xerialMagic = Buffer.from('\x82SNAPPY\0', 'latin1');
/** The magic number and two versions. */
const xerialHeaderBytes = 16;

/** Java producers write a header and blocks (xerial/snappy-java, "SnappyOutputStream"); producers with librdkafka write a single block. */
async function decompressSnappy(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const { snappyUncompress } = await import('hysnappy');
  const blocks: Buffer[] = [];
  if (!bytes.subarray(0, xerialMagic.length).equals(xerialMagic)) blocks.push(bytes);
  else
    for (let at = xerialHeaderBytes; at < bytes.length; ) {
      const from = at + 4;
      at = from + bytes.readUInt32BE(at);
      blocks.push(take(bytes, from, at));
    }
  const lengths = blocks.map(snappyLength);
  const length = lengths.reduce((sum, one) => sum + one, 0);
  if (length > maxBytes) throw tooLong(maxBytes);
  return Buffer.concat(
    blocks.map((block, index) => snappyUncompress(block, lengths[index] as number)),
    length,
  );
}

/** Reads the varint at the beginning of a block (google/snappy, "format_description.txt"). */
function snappyLength(block: Buffer): number {
  let length = 0;
  for (let index = 0; index < 5; index += 1) {
    const byte = block.readUInt8(index);
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return length;
  }
  throw new Error('the length of a block is damaged');
}

const lz4Magic = 0x184d2204;
/** Flags of a frame (lz4, "lz4_Frame_format.md"), and the flag in the size of a block. */
const lz4 = { version: 0xc0, version1: 0x40, blockChecksum: 0x10, contentSize: 0x08, dictionary: 0x01 };
const storedBlock = 0x8000_0000;

/** Our own code, because of the LZ4 packages one checks nothing, one stays broken after an error, and one needs the exact length. */
async function decompressLz4(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const flags = bytes.readUInt8(4);
  if (bytes.readUInt32LE(0) !== lz4Magic || (flags & (lz4.version | lz4.dictionary)) !== lz4.version1)
    throw new Error('it is not an LZ4 frame without a dictionary');
  const maxBlockBytes = 2 ** (8 + 2 * ((bytes.readUInt8(5) >> 4) & 7));
  const blocks: { block: Buffer; isStored: boolean }[] = [];
  let at = flags & lz4.contentSize ? 15 : 7;
  for (let size = bytes.readUInt32LE(at); size !== 0; size = bytes.readUInt32LE(at)) {
    const isStored = size >= storedBlock;
    const from = at + 4;
    at = from + (isStored ? size - storedBlock : size);
    blocks.push({ block: take(bytes, from, at), isStored });
    if (flags & lz4.blockChecksum) at += 4;
  }
  const output = Buffer.allocUnsafe(Math.min(maxBytes, blocks.length * maxBlockBytes));
  let length = 0;
  for (const { block, isStored } of blocks)
    length = isStored ? append(output, length, block) : expand(output, length, block);
  return output.subarray(0, length);
}

/** Appends a block (lz4, "lz4_Block_format.md"): literals and copies of earlier output. @returns the new length */
function expand(output: Buffer, start: number, block: Buffer): number {
  let at = 0;
  let length = start;
  function count(nibble: number): number {
    let sum = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; sum += byte) byte = block.readUInt8(at++);
    return sum;
  }
  while (at < block.length) {
    const token = block.readUInt8(at++);
    const literals = count(token >> 4);
    length = append(output, length, take(block, at, at + literals));
    at += literals;
    if (at === block.length) break; // a block ends with literals
    const distance = block.readUInt16LE(at);
    at += 2;
    const end = length + count(token & 15) + 4;
    if (distance === 0 || distance > length) throw new Error('a copy is from before its beginning');
    if (end > output.length) throw tooLong(output.length);
    for (; length < end; length += 1) output[length] = output[length - distance] as number; // the copy may overlap its source
  }
  return length;
}

function append(output: Buffer, length: number, bytes: Buffer): number {
  if (length + bytes.length > output.length) throw tooLong(output.length);
  return length + bytes.copy(output, length);
}

const tooLong = (bytes: number) => new RangeError(`it is longer than ${bytes} bytes when decompressed`);

function take(bytes: Buffer, from: number, end: number): Buffer {
  if (end > bytes.length) throw new Error('it ends within a block');
  return bytes.subarray(from, end);
}
