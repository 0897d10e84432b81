import { FAMILY } from './families.ts'
import { type SecretPattern, whenever } from './pattern.ts'
import { isPlainAnswer, isReference } from './secret-value.ts'

const NAME = 'authorization\\\\?["\'`]?[ \\t]{0,4}[:=][ \\t]{0,4}\\\\?["\'`]?'
const ONE_WORD_SCHEMES = '(?:bearer|basic|token|bot|apikey|negotiate|key|ssws)[ \\t]{1,4}'
const LISTS = '(?:digest|aws4-hmac-sha256|hmac-sha256|signature|oauth)[ \\t]{1,4}'

const digitsAndLetters = (value: string) => /\d/.test(value) && /[A-Za-z]/.test(value)
const isBase64 = (value: string) => /[a-z]/.test(value) && /[A-Z]/.test(value) && /[\d=]/.test(value)

/**
 * Accepts a value without a scheme only if no sentence has it: "Authorization: handled by the proxy" is kept.
 */
const isCredential = (value: string, lead: string) =>
  !isPlainAnswer(value) && (/[ \t]$/.test(lead.replace(/[:=][ \t]*$/, '')) || /\d/.test(value))

function header(
  kind: string,
  source: string,
  accepts: (value: string, lead: string) => boolean,
): SecretPattern {
  return { kind, family: FAMILY.header, expression: new RegExp(source, 'gi'), extent: whenever(accepts) }
}

/** Patterns of credentials in HTTP headers, and in the command lines and URLs that become headers. */
export const HEADER_PATTERNS: readonly SecretPattern[] = [
  header('authorization', `(${NAME}${LISTS})(?:="[^"\\r\\n]{0,512}"|[^\\r\\n"'\`\\\\]){8,}`, (value) =>
    value.includes('='),
  ),
  header('authorization', `(${NAME}(?:${ONE_WORD_SCHEMES})?)[^\\s"'\`\\\\,;]{4,}`, isCredential),
  header('authorization', '((?<![\\w=])bearer[ \\t]{1,4})[\\w.~+/-]{12,}={0,2}(?!=)', digitsAndLetters),
  header('authorization', '(\\bbasic[ \\t]{1,4})[A-Za-z0-9+/]{12,}={0,2}(?![\\w-])', isBase64),
  header(
    'cookie',
    '(\\b(?:set-)?cookie\\\\?["\']?[ \\t]{0,4}:[ \\t]{0,4}\\\\?["\']?)[\\w.-]{1,64}=[^\\r\\n"\']{6,}',
    (value) => !isReference(value),
  ),
  {
    // Only in text that mentions curl: elsewhere `-u` takes a user and a group.
    ...header(
      'authorization',
      '([ \\t](?:-u|--user)[ =]["\']?[^\\s:"\'@]{1,64}:)[^\\s"\']{1,256}',
      (value) => !isReference(value) && !/^\d{1,5}$/.test(value),
    ),
    needle: 'curl ',
  },
  header('url-key', '([?&](?:key|sig|signature|auth)=)[\\w%.~+/=-]{12,}', digitsAndLetters),
]
