/** Some lines of an import as they were received, with their line ends. */
export interface Part {
  /** Number of its first line, from 1. */
  firstLine: number;
  lineCount: number;
  lines: Buffer;
}

/** In bytes. What is longer is cut to one byte more, by which the import knows it. */
export const maxLineBytes = 64 * 1024;
/** A part is imported in one transaction, in which others wait for its rows. */
const maxPartLines = 500;
const maxPartBytes = 256 * 1024;

const lineEnd = Buffer.from('\n');

/** Cuts a body into parts at line ends. Holds a part, and of a line without an end no more than its beginning. */
export async function* partsOf(body: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  let pieces: Buffer[] = [];
  let [bytes, lineBytes, lineCount, firstLine] = [0, 0, 0, 1];

  function keep(piece: Buffer): void {
    const kept = piece.subarray(0, Math.max(0, maxLineBytes + 1 - lineBytes));
    lineBytes += kept.length;
    bytes += kept.length;
    // A copy, because a slice would keep the whole chunk of the connection in memory.
    if (kept.length > 0) pieces.push(Buffer.from(kept));
  }
  function take(): Part {
    const part = { firstLine, lineCount, lines: Buffer.concat(pieces, bytes) };
    firstLine += lineCount;
    pieces = [];
    bytes = 0;
    lineCount = 0;
    return part;
  }

  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      keep(chunk.subarray(from, end));
      pieces.push(lineEnd);
      bytes += 1;
      lineBytes = 0;
      lineCount += 1;
      from = end + 1;
      if (lineCount === maxPartLines || bytes >= maxPartBytes) yield take();
    }
    keep(chunk.subarray(from));
  }
  if (lineBytes > 0) lineCount += 1;
  if (lineCount > 0) yield take();
}
