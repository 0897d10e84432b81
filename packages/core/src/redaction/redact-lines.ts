import { redact } from './redactor.ts'

const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/
const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/
// A line of base64, alone or behind a prefix such as a time; the last one may be short and then ends in
// padding.
const KEY_BODY = /(?:^|[^A-Za-z0-9+/=])(?:[A-Za-z0-9+/=]{16,128}|[A-Za-z0-9+/]{1,15}={1,2})\s*$/
// A 16,384-bit RSA key takes 200 lines; past that the end is not coming.
const MAX_KEY_LINES = 256

/**
 * `redact` for lines that follow each other and are given one by one: a private key that is printed over
 * several of them is taken out whole. A key that is torn over two requests loses its part in the first one
 * only, since nothing is remembered in between.
 */
export function lineRedactor(): (line: string) => string {
  let left = 0
  return (line) => {
    const begins = line.includes('PRIVATE KEY') && KEY_BEGINS.test(line)
    const ends = left > 0 && KEY_ENDS.test(line)
    const isBody = left > 0 && !begins && (ends || KEY_BODY.test(line))
    if (begins) left = KEY_ENDS.test(line) ? 0 : MAX_KEY_LINES
    else left = ends ? 0 : left - 1
    return isBody ? '[redacted:private-key]' : redact(line)
  }
}
