/** The fields of a protobuf message by field number. */
export function fields(message: Buffer = Buffer.alloc(0)) {
  const found: [field: number, value: Buffer | number][] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = varint();
    const type = key & 7;
    found.push([key >> 3, type === 0 ? varint() : take(type === 1 ? 8 : type === 5 ? 4 : varint())]);
  }
  const valuesOf = (wanted: number) => found.flatMap(([field, value]) => (field === wanted ? [value] : []));
  return {
    bytes: (field: number) => valuesOf(field).filter((value) => typeof value !== 'number'),
    number: (field: number) => valuesOf(field).find((value) => typeof value === 'number') ?? 0,
  };
}
