import { ibanExtent, passesLuhn } from './checksums.ts'
import { FAMILY } from './families.ts'
import { EDGE, type SecretPattern, whenever } from './pattern.ts'
import { isReference } from './secret-value.ts'

/** Number ranges of the card networks. Nanosecond timestamps and order numbers are rarely in them. */
const CARD_RANGES =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|220[0-4]\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|4[4-9]\d|5\d\d)\d{12}|62\d{14,17}|(?:5[06-8]|6\d)\d{14})$/

function isCardNumber(candidate: string): boolean {
  const digits = candidate.replace(/\D/g, '')
  return CARD_RANGES.test(digits) && passesLuhn(digits)
}

/** The last three digits may belong to a number of 19, or be the next word of the line. */
function cardExtent(candidate: string): number {
  if (isCardNumber(candidate)) return candidate.length
  const shorter = candidate.replace(/[ -]\d{3}$/, '')
  return shorter !== candidate && isCardNumber(shorter) ? shorter.length : 0
}

/** Accepts only tokens with `eyJ` in the header: every JSON object begins with it in base64url. */
const isWebToken = (secret: string) => {
  const at = secret.indexOf('eyJ')
  return at >= 0 && at + 12 <= secret.indexOf('.')
}

const PEM_BEGIN = '-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'
const PEM_WHOLE = `${PEM_BEGIN}(?:[^-]|-(?!----)){0,16384}-----END [A-Z0-9 ]{0,40}-----`
const PEM_CUT_SHORT = `${PEM_BEGIN}(?:(?:\\s|\\\\[nr]){0,8}[A-Za-z0-9+/=]{16,})*`

/** Patterns of secrets with a known format. */
export const STRUCTURED_PATTERNS: readonly SecretPattern[] = [
  { kind: 'private-key', family: FAMILY.pem, expression: new RegExp(`${PEM_WHOLE}|${PEM_CUT_SHORT}`, 'g') },
  {
    // Matches from the start of a run of token characters, so that each run is read once, however often it
    // contains `eyJ`.
    kind: 'jwt',
    family: FAMILY.jwt,
    expression: /(?<![\w-])[\w-]{12,}\.[\w-]{8,}(?:\.[\w-]*){0,3}/g,
    extent: whenever(isWebToken),
  },
  {
    // Matches up to the last `@` of the word, so that the rest of a password with a raw `@` or slash is
    // redacted too. Text that looks like a port and a path does not match.
    kind: 'url-password',
    family: FAMILY.url,
    expression: /(:\/\/[^\s/:@"'<>[\]]{0,128}:)(?!\d{1,5}(?:[/?#]|$))(?:[^\s:?#"'<>]|:(?!\/\/)){1,256}(?=@)/g,
    extent: whenever((secret) => !isReference(secret)),
  },
  {
    // A token in the place of the user: `https://<token>@host`.
    kind: 'url-password',
    family: FAMILY.url,
    expression: /(:\/\/)[A-Za-z0-9_.~%-]{16,256}(?=@)/g,
    extent: whenever((secret) => /\d/.test(secret) && /[A-Za-z]/.test(secret)),
  },
  {
    kind: 'card-number',
    family: FAMILY.card,
    expression:
      /()(?:(?<![\w-]|\d\.)|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))(?:\d{13,19}|\d{4}([ -])\d{4}\2\d{4}\2\d{4}(?:\2\d{3})?|\d{4}([ -])\d{6}\3\d{4,5})(?!\w|-\w|\.\d)/g,
    extent: cardExtent,
  },
  {
    kind: 'iban',
    family: FAMILY.iban,
    expression: new RegExp(
      `${EDGE}[A-Za-z]{2}\\d{2}(?:[A-Za-z0-9]{11,29}|(?:[ -][A-Za-z0-9]{4}){2,7}(?:[ -][A-Za-z0-9]{1,3})?)(?![A-Za-z0-9])`,
      'g',
    ),
    // Four-letter words may follow the number, so its country gives the length.
    extent: ibanExtent,
  },
]
