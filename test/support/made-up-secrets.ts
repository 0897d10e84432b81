const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = UPPER.toLowerCase()
const DIGITS = '0123456789'
const ALPHABETS = {
  alphanumeric: UPPER + LOWER + DIGITS,
  base64url: `${UPPER + LOWER + DIGITS}-_`,
  base64: `${UPPER + LOWER + DIGITS}+/`,
  capitals: UPPER + DIGITS,
  hex: '0123456789abcdef',
  digits: DIGITS,
} as const

/** Random text from a seed, so that every run sees the same secrets. None of them ever opened anything. */
export class MadeUp {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }

  of(alphabet: keyof typeof ALPHABETS, length: number): string {
    const letters = ALPHABETS[alphabet]
    return Array.from({ length }, () => letters[this.below(letters.length)]).join('')
  }
}

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function withCheckDigit(head: string): string {
  let sum = 0
  for (let place = 0; place < head.length; place++) {
    const digit = Number(head[head.length - 1 - place]) * (place % 2 === 0 ? 2 : 1)
    sum += digit > 9 ? digit - 9 : digit
  }
  return head + ((10 - (sum % 10)) % 10)
}

function iban(country: string, account: string): string {
  const numeric = [...`${account}${country}00`].map((char) => Number.parseInt(char, 36)).join('')
  return `${country}${String(98n - (BigInt(numeric) % 97n)).padStart(2, '0')}${account}`
}

const inFours = (text: string) => text.replace(/(.{4})(?=.)/g, '$1 ')

function privateKey(random: MadeUp, name: string): string {
  const lines = Array.from({ length: 4 }, () => random.of('base64', 64))
  return [`-----BEGIN ${name}-----`, ...lines, `${random.of('base64', 22)}==`, `-----END ${name}-----`].join(
    '\n',
  )
}

/**
 * How a secret of each kind is spelled. Prefixes are joined here so that no whole token stands in this
 * repository.
 */
export const SPELLINGS: Readonly<Record<string, (random: MadeUp) => string>> = {
  'private key': (r) => privateKey(r, ['RSA', 'PRIVATE', 'KEY'].join(' ')),
  'private key of OpenSSH': (r) => privateKey(r, ['OPENSSH', 'PRIVATE', 'KEY'].join(' ')),
  'AWS access key': (r) => ['AK', 'IA', r.of('capitals', 16)].join(''),
  'AWS temporary key': (r) => ['AS', 'IA', r.of('capitals', 16)].join(''),
  'GitHub token': (r) => ['gh', 'p_', r.of('alphanumeric', 36)].join(''),
  'GitHub server token': (r) => ['gh', 's_', r.of('alphanumeric', 36)].join(''),
  'GitHub fine-grained token': (r) =>
    ['github', '_pat_', r.of('alphanumeric', 22), '_', r.of('alphanumeric', 59)].join(''),
  'GitLab token': (r) => ['gl', 'pat-', r.of('base64url', 20)].join(''),
  'GitLab runner token': (r) => ['gl', 'rt-', r.of('base64url', 20)].join(''),
  'Slack bot token': (r) => ['xo', 'xb-', r.of('digits', 12), '-', r.of('alphanumeric', 24)].join(''),
  'model key': (r) => ['s', 'k-', r.of('alphanumeric', 48)].join(''),
  'model project key': (r) => ['s', 'k-proj-', r.of('base64url', 64)].join(''),
  'Stripe key': (r) => ['sk', '_live_', r.of('alphanumeric', 24)].join(''),
  'Stripe restricted key': (r) => ['rk', '_test_', r.of('alphanumeric', 24)].join(''),
  'webhook secret': (r) => ['wh', 'sec_', r.of('base64', 32)].join(''),
  'npm token': (r) => ['np', 'm_', r.of('alphanumeric', 36)].join(''),
  'SendGrid key': (r) => ['S', 'G.', r.of('base64url', 22), '.', r.of('base64url', 43)].join(''),
  'Google key': (r) => ['AI', 'za', r.of('base64url', 35)].join(''),
  'Google client secret': (r) => ['GOC', 'SPX-', r.of('base64url', 28)].join(''),
  'DigitalOcean token': (r) => ['dop', '_v1_', r.of('hex', 64)].join(''),
  'web token': (r) =>
    [
      base64url({ alg: 'EdDSA', kid: r.of('hex', 8) }),
      base64url({ sub: r.of('hex', 12) }),
      r.of('base64url', 86),
    ].join('.'),
  'license key': (r) => ['sv', 'c_', r.of('base64url', 43)].join(''),
  'signing key': (r) => ['svc', 'sk_', r.of('base64url', 43)].join(''),
  'API token': (r) => ['svc', 'at_', r.of('base64url', 43)].join(''),
  'transfer key': (r) => ['svc', 't_v1.', r.of('base64url', 80), '.', r.of('base64url', 86)].join(''),
  'session cookie': (r) => ['v', '1.', r.of('base64url', 43), '.', r.of('base64url', 43)].join(''),
  'vault token': (r) => ['hv', 's.', r.of('alphanumeric', 24)].join(''),
  'registry token': (r) => ['dckr', '_pat_', r.of('base64url', 27)].join(''),
  'Visa number': (r) => withCheckDigit(`4${r.of('digits', 14)}`),
  'Mastercard number': (r) => inFours(withCheckDigit(`5${1 + r.below(5)}${r.of('digits', 13)}`)),
  'American Express number': (r) => withCheckDigit(`37${r.of('digits', 12)}`),
  'German IBAN': (r) => iban('DE', r.of('digits', 18)),
  'British IBAN': (r) => inFours(iban('GB', `WEST${r.of('digits', 14)}`)),
}

/** Text that has to precede a secret which cannot be recognised by itself. */
export const LEADS: Readonly<Record<string, string>> = { 'session cookie': 'svc_session=' }

/** The redactor's mark for a secret of each kind. */
export const MARKS: Readonly<Record<string, string>> = {
  'private key': 'private-key',
  'private key of OpenSSH': 'private-key',
  'AWS access key': 'aws-key',
  'AWS temporary key': 'aws-key',
  'GitHub token': 'github-token',
  'GitHub server token': 'github-token',
  'GitHub fine-grained token': 'github-token',
  'GitLab token': 'gitlab-token',
  'GitLab runner token': 'gitlab-token',
  'Slack bot token': 'slack-token',
  'model key': 'ai-key',
  'model project key': 'ai-key',
  'Stripe key': 'stripe-key',
  'Stripe restricted key': 'stripe-key',
  'webhook secret': 'webhook-secret',
  'npm token': 'npm-token',
  'SendGrid key': 'sendgrid-key',
  'Google key': 'google-key',
  'Google client secret': 'google-key',
  'DigitalOcean token': 'digitalocean-token',
  'web token': 'jwt',
  'license key': 'license-key',
  'signing key': 'signing-key',
  'API token': 'api-token',
  'transfer key': 'transfer-key',
  'session cookie': 'session-cookie',
  'vault token': 'service-token',
  'registry token': 'service-token',
  'Visa number': 'card-number',
  'Mastercard number': 'card-number',
  'American Express number': 'card-number',
  'German IBAN': 'iban',
  'British IBAN': 'iban',
}
