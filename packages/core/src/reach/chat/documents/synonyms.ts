/** Phrases and words with several spellings, each with the one word that stands for them. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:log(?:ged|ging)?|sign(?:s|ed|ing)?)[ -](?:(?:me|us|you)[ -])?in(?:to)?\b/gi, ' signin '],
  [/\b(?:log(?:ged|ging)?|sign(?:s|ed|ing)?)[ -](?:(?:me|us|you)[ -])?(?:out|off)\b/gi, ' signout '],
  [/\b(?:two|2|second|multi)[ -]?(?:step|factor)s?(?:[ -](?:authentication|auth))?\b/gi, ' secondfactor '],
  [/\bset(?:ting)?[ -]up\b/gi, ' install '],
  [/\bhook(?:s|ed|ing)?[ -]up\b/gi, ' connect '],
  [/\bback(?:s|ed|ing)?[ -]up\b/gi, ' backup '],
  [/\bname[ -]?servers?\b/gi, ' dns '],
  [/\be-mails?\b/gi, ' email '],
]

/** Groups of words that ask for the same thing; the first word stands for the group. */
const GROUPS: readonly string[] = [
  'server host machine computer vps vm node box',
  'service svc',
  'job task',
  'deploy deployment rollout build',
  'connect add added adding attach join link register',
  'install setup',
  'cancel abort kill terminate interrupt',
  'stuck hang hung freeze frozen stall',
  'pending wait queue',
  'failed failure fail crash crashed broke broken',
  'log output stdout',
  'alert notification alarm warning',
  'silence mute snooze quiet unsubscribe',
  'license licence subscription',
  'suspended suspension blocked locked',
  'password passwort pw passphrase passwd',
  'signin login logon',
  'signout logout',
  'secondfactor 2fa mfa totp otp',
  'phone mobile smartphone cellphone',
  'lost lose missing gone vanish vanished disappear disappeared',
  'changed change edit modify',
  'person human',
  'talk speak contact',
  'offline unreachable reachable unavailable down',
  'dns nameserver',
  'reject refuse deny',
  'programming python javascript typescript java golang ruby rust php',
]

/** Returns `text` with each phrase as one word. */
export const withPhrases = (text: string): string =>
  PHRASES.reduce((written, [phrase, word]) => written.replaceAll(phrase, word), text)

/** Maps each word of a group, the first included, to the term of the group; both are stemmed with `stem`. */
export function synonymsBy(stem: (word: string) => string): ReadonlyMap<string, string> {
  const pairs = GROUPS.flatMap((group) => {
    const stems = group.split(' ').map(stem)
    return stems.map((each) => [each, stems[0] ?? each] as const)
  })
  return new Map(pairs)
}
