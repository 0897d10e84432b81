/** A value in real prose in the place of a secret: the redactor is right to replace it. */
export interface ShownSecret {
  /** The beginning of the names of the files with the value. */
  readonly file: string
  readonly value: RegExp
  readonly why: string
}

/** All such values. A reader could not tell any of them from a real secret. */
export const SHOWN_SECRETS: readonly ShownSecret[] = [
  { file: 'docs/', value: /\bsvc_[\w-]{43}/g, why: 'a license key as the program printed it' },
  { file: 'docs/', value: /\bwhsec_[\w+/]{43}=/g, why: 'a webhook secret as the program printed it' },
  {
    file: 'docs/agents.md',
    value: /(?<="token": ")eyJ\w{10,}…/g,
    why: 'the first characters of a real token',
  },
  {
    file: 'node_modules/fastify/',
    value:
      /(?<=password: ')example(?=')|(?<=password=)Password123!|(?<=Bearer )abc123|(?<=secret: ')my-secret|(?<=secretToken === ')abc\.zHi/g,
    why: 'passwords and tokens of examples',
  },
  { file: 'node_modules/', value: /(?<=\.svg\?token=)\w{10}/g, why: 'the token of a badge, which is one' },
  {
    file: 'node_modules/nock/',
    value: /(?<=password=)\d+|(?<=password: )\/\.\+\/i/g,
    why: 'what a sign-in sends',
  },
  {
    file: 'node_modules/pino/',
    value: /(?<=secret\W{2,4})(?:will|as|\*\*)[^'"]+/g,
    why: 'an example of redaction',
  },
  {
    file: 'node_modules/pino/',
    value: /(?<=--password )my-password/g,
    why: 'an argument that is a password',
  },
  { file: 'node_modules/pino/', value: /(?<=--apiKey )\d{10}/g, why: 'an argument that is a key' },
  { file: 'node_modules/pino/', value: /(?<=botToken: ")[\w:-]{40,}/g, why: 'a token of the real form' },
  {
    file: 'node_modules/pino/',
    value: /(?<=:\/\/(?:guest|username):)\w+(?=@localhost)/g,
    why: 'a password in an address',
  },
  {
    file: 'node_modules/@zxcvbn-ts/',
    value: /(?<=password = ')somePassword/g,
    why: 'a password to be judged',
  },
  {
    file: 'node_modules/otpauth/',
    value: /(?<=secret: "|secret=)[A-Z2-7]{32}/g,
    why: 'a secret that one-time codes are made of',
  },
  {
    file: 'node_modules/pg-connection-string/',
    value: /(?<=:\/\/(?:someuser|user):)\w+(?=@)/g,
    why: 'a password in the address of a database',
  },
  {
    file: 'node_modules/stripe/',
    value: /(?<=apiKey: '|API_KEY=')sk_test[\w.]+|(?<=secret = ')whsec_test_secret/g,
    why: 'a key of a provider and the secret of a webhook, as programs name them',
  },
  { file: 'node_modules/undici/', value: /(?<=cookie'?: ')\w+=[^']+/g, why: 'a cookie with its value' },
  { file: 'node_modules/undici/', value: /\bSuperSecretToken\b/g, why: 'a header that is named a secret' },
  {
    file: 'node_modules/mailauth/',
    value: /(?<=privateKey: )privateKey/g,
    why: 'a field that is named a private key',
  },
  {
    file: 'node_modules/tldts/',
    value: /(?<=:\/\/user:)password(?=@)/g,
    why: 'a password in an address',
  },
]
