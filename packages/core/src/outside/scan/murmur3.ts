const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits))
const mixed = (k: number): number => Math.imul(rotated(Math.imul(k, 0xcc9e2d51), 15), 0x1b873593)

/** MurmurHash3 (x86, 32 bits, seed 0) of bytes, as a signed number. */
export function murmur3(bytes: Buffer): number {
  const whole = bytes.length - (bytes.length % 4)
  let hash = 0
  for (let at = 0; at < whole; at += 4) {
    hash = Math.imul(rotated(hash ^ mixed(bytes.readInt32LE(at)), 13), 5) + 0xe6546b64
  }
  let tail = 0
  for (let at = bytes.length - 1; at >= whole; at -= 1) tail = (tail << 8) | (bytes[at] ?? 0)
  if (whole < bytes.length) hash ^= mixed(tail)
  hash ^= bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}

const LINES = /.{1,76}/g

/** The digest that an icon is known by: MurmurHash3 of its base64 in lines of 76 characters. */
export function iconDigest(icon: Buffer): number {
  const text = icon.toString('base64').replace(LINES, '$&\n')
  return murmur3(Buffer.from(text))
}
