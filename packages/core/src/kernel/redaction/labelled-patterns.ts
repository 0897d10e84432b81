import { FAMILY } from './families.ts'
import { type SecretPattern, whenever } from './pattern.ts'
import { isPlainAnswer, looksMadeUp } from './secret-value.ts'

const KEY_OF =
  'api|access|private|secret|signing|encryption|licen[cs]e|master|account|auth|deploy|client|shared|service'
const HUMAN = 'pass(?:word|wd|phrase|code)|pwd|_pass'
const LABEL = `(?:${HUMAN}|secret|token|(?:${KEY_OF})[ _-]?key)(?:[_-]?(?:access|key|base|value|confirmation|confirm|\\d{1,2})){0,3}`
const CLOSE = '(?:\\\\?["\'`]\\]?)?'
const ASSIGN = '[ \\t]{0,8}(?::=|=>|={1,3}|:(?!:|\\/\\/))[ \\t]{0,8}'
const SET = '[ \\t]{0,8}(?::=|=>|(?<![=!<>])=(?!=)|:(?!:|\\/\\/))[ \\t]{0,8}'
const WHERE = "(?: (?:for|of|to|on|in|at|from|here|that|we|you|i)(?: [\\w.@'/-]{1,24}){0,5}?)?"
const IS = `${WHERE} (?:is|was)(?: (?:now|currently|still|just|set to|actually))?:?[ \\t]{1,4}`
/**
 * A separator ends an unquoted value only if a sentence, list, query string or Markdown link continues after
 * it.
 */
const BARE = '(?:[^\\s"\'`,;&)\\]}>.\\\\]|[,;&)\\]}>.\\\\](?!\\s|$|["\'`]|[\\w-]{1,64}=|\\]\\())'

/** Matches a second label in the place of the value, as in "Password: passwd: …". */
const ANOTHER_LABEL = new RegExp(`^[\\w.-]{0,32}?${LABEL}["'\`]?[:=]$`, 'i')
const HUMAN_LABEL = new RegExp(HUMAN, 'i')
const isHuman = (lead: string) => HUMAN_LABEL.test(lead)
const isWord = (value: string) => /^[a-z]+$/.test(value)

/**
 * Accepts as a password any word that is no plain answer, but as a machine's token no ordinary word in a
 * sentence.
 */
function isAssigned(value: string, lead: string, next: string): boolean {
  if (isPlainAnswer(value) || ANOTHER_LABEL.test(/^ ?[:=]/.test(next) ? `${value}:` : value)) return false
  if (isHuman(lead)) return !(/pwd[^a-z]*$/i.test(lead) && value.startsWith('/'))
  if (value.length < 6) return /\d/.test(value) && /[A-Za-z]/.test(value)
  return !(isWord(value) && /^[ ,][ a-z]/.test(next))
}

function isQuoted(value: string, lead: string): boolean {
  if (isPlainAnswer(value)) return false
  return /[:=>][ \t]*\\?["'`]$/.test(lead) || isHuman(lead) || looksMadeUp(value)
}

function labelled(source: string, accepts = isAssigned, needle = ''): SecretPattern {
  return {
    kind: 'secret',
    family: FAMILY.label,
    needle,
    expression: new RegExp(source, 'gi'),
    extent: whenever(accepts),
  }
}

/** Patterns of values with a label such as password, secret, token or key. */
export const LABELLED_PATTERNS: readonly SecretPattern[] = [
  labelled(
    `(${LABEL}${CLOSE}(?:${ASSIGN}|${IS})(["'\`]))(?:\\\\.|(?!\\2)[^\\\\\\r\\n]){1,1024}(?=\\2)`,
    isQuoted,
  ),
  labelled(`(${LABEL}${CLOSE}${ASSIGN}\\\\["'])[^"'\\\\\\r\\n]{1,1024}(?=\\\\["'])`, isQuoted, '\\\\'),
  labelled(`(${LABEL}${CLOSE}${SET}\\\\?["'\`]?)${BARE}{3,}`),
  labelled(`(${LABEL}${IS}["'\`]?)${BARE}{3,}`, looksMadeUp),
  labelled(`(--(?:\\w{1,24}-){0,3}${LABEL}[ \\t]{1,4}["'\`]?)(?!-)${BARE}{3,}`, isAssigned, '--'),
  labelled(`(<[\\w:.-]{0,32}${LABEL}>)[^<>\\s]{3,256}(?=<)`, isAssigned, '<'),
]
