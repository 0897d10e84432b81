import { ibanLength, passesIbanCheck, passesLuhn } from './checksums.ts'
import { FAMILY } from './families.ts'
import { type SecretPattern, whenever } from './pattern.ts'
import { isReference } from './secret-value.ts'

/** Number ranges of the card networks: a nanosecond timestamp or an order number rarely falls into one. */
const CARD_RANGES =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|220[0-4]\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|4[4-9]\d|5\d\d)\d{12}|62\d{14,17}|(?:5[06-8]|6\d)\d{14})$/

function isCardNumber(secret: string): boolean {
  const digits = secret.replace(/\D/g, '')
  return CARD_RANGES.test(digits) && passesLuhn(digits)
}

/** Words of prose may follow an IBAN in groups of four: its country says where it ends. */
function ibanExtent(candidate: string): number {
  const length = ibanLength(candidate.slice(0, 2).toUpperCase()) ?? 0
  let extent = 0
  let iban = ''
  for (; extent < candidate.length && iban.length < length; extent++) {
    iban += (candidate[extent] ?? '').replace(/[ -]/, '')
  }
  const whole = !/[A-Za-z0-9]/.test(candidate[extent] ?? ' ')
  return length > 0 && whole && passesIbanCheck(iban.toUpperCase()) ? extent : 0
}

/** A header of three letters that every JSON object has once it is base64url. */
const isWebToken = (secret: string) => {
  const at = secret.indexOf('eyJ')
  return at >= 0 && at + 12 <= secret.indexOf('.')
}

const PEM_BEGIN = '-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'
const PEM_WHOLE = `${PEM_BEGIN}(?:[^-]|-(?!----)){0,16384}-----END [A-Z0-9 ]{0,40}-----`
const PEM_CUT_SHORT = `${PEM_BEGIN}(?:(?:\\s|\\\\[nr]){0,8}[A-Za-z0-9+/=]{16,})*`

/** Secrets that are known by their form. */
export const STRUCTURED_PATTERNS: readonly SecretPattern[] = [
  { kind: 'private-key', family: FAMILY.pem, expression: new RegExp(`${PEM_WHOLE}|${PEM_CUT_SHORT}`, 'g') },
  {
    // Begins where a run of token characters begins: each run is read once, however often it says `eyJ`.
    kind: 'jwt',
    family: FAMILY.jwt,
    expression: /(?<![\w-])[\w-]{12,}\.[\w-]{8,}(?:\.[\w-]*){0,3}/g,
    extent: whenever(isWebToken),
  },
  {
    // Everything up to the last `@` before the path, so that a raw `@` in a password does not leave its tail behind.
    kind: 'url-password',
    family: FAMILY.url,
    expression: /(?<lead>:\/\/[^\s/:@"'<>[\]]{0,128}:)[^\s/?#"'<>]{1,256}(?=@)/g,
    extent: whenever((secret) => !isReference(secret)),
  },
  {
    // A raw slash in the password; what looks like a port and a path is left alone.
    kind: 'url-password',
    family: FAMILY.url,
    expression: /(?<lead>:\/\/[^\s/:@"'<>[\]]{0,128}:)(?!\d{1,5}(?:[/?#]|$))[^\s@"'<>]{1,128}(?=@)/g,
    extent: whenever((secret) => !isReference(secret)),
  },
  {
    // A token in the place of the user: `https://<token>@host`.
    kind: 'url-password',
    family: FAMILY.url,
    expression: /(?<lead>:\/\/)[A-Za-z0-9_.~%-]{20,256}(?=@)/g,
    extent: whenever((secret) => /\d/.test(secret) && /[A-Za-z]/.test(secret)),
  },
  {
    kind: 'card-number',
    family: FAMILY.card,
    expression:
      /(?<![\w-]|\d\.)(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5})(?![\w]|-\w|\.\d)/g,
    extent: whenever(isCardNumber),
  },
  {
    kind: 'iban',
    family: FAMILY.iban,
    expression:
      /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[A-Za-z0-9]{11,29}|(?:[ -][A-Za-z0-9]{4}){2,7}(?:[ -][A-Za-z0-9]{1,3})?)(?![A-Za-z0-9])/g,
    extent: ibanExtent,
  },
]
