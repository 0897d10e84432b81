/** Words after a colon that are no secrets: states, types, and continuations of sentences. */
const NOT_VALUES = new Set(
  (
    'a about above absent access account accepted accounts active after again all allowed also always an and another any ' +
    'anyone api are array as ask at auth authentication available await bad base64 base64url basic be bearer because ' +
    'before being below blank bool boolean both broken buffer but by bytes call can cannot changed changes check choose ' +
    "click compromised copy correct could create created credentials default deleted denied did disabled do does don't " +
    'each either empty enabled encrypted enter error every everyone exists expected expires expired exported fail failed ' +
    'failure false file fine first fixed for forbidden forgot forgotten found from function generate generated get gone ' +
    'good got granted had has hash hashed have header hidden how however http https i if ignored in incorrect inside ' +
    'int integer invalid is issued it its just keep key keys known last later leaked length let like limit locked long ' +
    'lost made make malformed managed many masked may maybe mismatch missing more most must my n/a name need needed never new ' +
    'next nil no none nope not nothing now null number object of off ok okay old on once one only onto open optional or ' +
    'other our out over parse parsed passed password passwords paste per permission please private protected provided ' +
    'public put reading received rejected remember removed renewed required reset restart revoked rotate rotated rotation ' +
    'same saved scheme scope secret secrets see select sent set short should show signature since so some someone ' +
    'something still stored str string strong such sure synced take text that the their them then there these they this ' +
    'those to today token tokens too tried true try two type typed u32 u64 unable unauthorized unchanged undefined unexpected ' +
    'unknown unset until update updated updating use used user usernames users using valid validated validation value vault ' +
    'verified verify void wait was we weak were what when where whether which while who why will with within without ' +
    'would wrong yes yesterday yet you your'
  ).split(' '),
)

/** Names of formats and amounts: they have digits but are no secrets. */
const TECHNICAL =
  /^(?:base(?:16|32|58|64)(?:url)?|sha-?\d+|md5|utf-?\d+|oauth-?[12]?(?:\.0)?|ipv[46]|aes-?\d+(?:-\w+)?|[hrep]s\d{3}|ed25519|x\.?509|argon2(?:id|i|d)?|pbkdf2|rsa-?\d*|v?\d+(?:\.\d+){1,3}|\d+-?(?:%|x|st|nd|rd|th|ms|[smhdkw]|[kmg]i?b|days?|hours?|hrs?|min(?:ute)?s?|sec(?:ond)?s?|weeks?|months?|years?|char(?:acter)?s?|bytes?|bits?|times|digits?))$/i

const DATE = /^\d{4}-\d\d-\d\d/
/** `$NAME`, `${…}`, `$(…)`, `{{…}}`, `%NAME%`, `<name>`, a mask, or an earlier redaction. */
const PLACEHOLDER =
  /^(?:\$[A-Z_][A-Z0-9_]*$|\$[{(]|\{\{|%[A-Z_]{2,}%$|<[A-Za-z][\w -]{0,40}>?$|[*\u2022#]{3,}|[xX]{3,}$|_{3,}|\.{2,}|\u2026|\uffff+$|\[|!vault\b|!Ref\b)/
/**
 * A prefix without its rest (`svc_…`, read as `svc_...`), a scheme before a placeholder, or a value from
 * examples.
 */
const EXAMPLE =
  /^(?:[a-z]{2,8}_\.{2,3}$|(?:bearer|basic|token) {1,4}(?:\$[{(]|\{\{|<|[x*\u2022#]{3,})|your[ _-](?:[a-z]{1,16}[ _-]){0,3}(?:password|passphrase|token|secret|key)$)/i
/** Code that reads the value from elsewhere. */
const CODE =
  /^(?:process\.env|import\.meta|os\.(?:environ|getenv)|env[.([]|ENV\[|secrets\.|vars\.|config\.|settings\.|self\.|this\.|req\.|request\.|args\.|options\.|file:|vault:|\/run\/secrets\/|[A-Za-z_$.]{3,}\([^)]*\)?[;,]?$)/

/** Returns whether a value refers to a secret elsewhere or is already masked. */
export function isReference(value: string): boolean {
  return PLACEHOLDER.test(value) || CODE.test(value) || EXAMPLE.test(value)
}

/** Longer than any word or format name: longer values are not looked up. */
const LONGEST_WORD = 40

/**
 * Returns the value without its final punctuation. A regular expression for this is quadratic in long runs of
 * dots.
 */
function withoutPunctuation(value: string): string {
  let end = value.length
  while (end > 0 && '.,;:!?)]}>'.includes(value[end - 1] ?? '')) end--
  return value.slice(0, end)
}

/**
 * Returns whether a value after a label and `:` or `=` is an ordinary word, a type or a state, and not a
 * secret.
 */
export function isPlainAnswer(value: string): boolean {
  if (isReference(value)) return true
  const word = withoutPunctuation(value).toLowerCase()
  return word.length <= LONGEST_WORD && (word === '' || NOT_VALUES.has(word) || TECHNICAL.test(word))
}

/**
 * Returns whether a word in a sentence looks like a secret: it has digits among letters, six digits, or a
 * character that no word has. "Expired", "too-short" and "user/pass" do not.
 */
export function looksMadeUp(value: string): boolean {
  const core = withoutPunctuation(value)
  if (core.length < 6 || DATE.test(core) || isPlainAnswer(core)) return false
  if (/\d/.test(core)) return /[A-Za-z]/.test(core) || /^\d{6,}$/.test(core) || /[^\w.,:/-]/.test(core)
  return /[!@#$%^&*+=~?|]/.test(core) || (core.length >= 16 && /[a-z][A-Z]/.test(core))
}
