// The minimum of WebSocket framing for a load generator: writes text frames and finds frame boundaries.

const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

/** A masked text frame as a browser sends it. The mask is fixed, so a frame can be encoded once and sent often. */
export function clientFrame(text) {
  const payload = Buffer.from(text);
  if (payload.length > 65_535) throw new Error(`${payload.length} bytes (expected: <= 65535)`);
  const short = payload.length < 126;
  const header = short
    ? Buffer.from([0x81, 0x80 | payload.length])
    : Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff]);
  for (let i = 0; i < payload.length; i++) payload[i] ^= MASK[i & 3];
  return Buffer.concat([header, MASK, payload]);
}

/** Calls each(start, end) for the payload of every complete frame in bytes[from, to). Returns where the rest begins. */
export function eachFrame(bytes, from, to, each) {
  let at = from;
  while (to - at >= 2) {
    let start = at + 2;
    let length = bytes[at + 1] & 0x7f;
    if (length === 126) {
      if (to - at < 4) break;
      length = bytes.readUInt16BE(start);
      start += 2;
    } else if (length === 127) {
      if (to - at < 10) break;
      length = Number(bytes.readBigUInt64BE(start));
      start += 8;
    }
    if (to - start < length) break;
    each(start, start + length);
    at = start + length;
  }
  return at;
}
