import { redact } from './redactor.ts'

const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/
const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/
// A line of base64, alone or after a prefix such as a time. The last line may be short if it ends in padding.
const KEY_BODY = /(?:^|[^A-Za-z0-9+/=])(?:[A-Za-z0-9+/=]{16,128}|[A-Za-z0-9+/]{1,15}={1,2})\s*$/
// A 16,384-bit RSA key takes 200 lines; after more lines the end will not come.
const MAX_KEY_LINES = 256

/**
 * Returns a `redact` for consecutive lines, passed one by one: it also redacts a private key over several
 * lines. If a key is split over two requests, only the lines in the first one are redacted, since no state is
 * kept in between.
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
