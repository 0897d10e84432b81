import { isIP } from 'node:net'
import { asciiName } from '../../kernel/ascii-name.ts'
import {
  choice,
  isResolverAddress,
  list,
  type Setting,
  text,
  url,
  wholeNumber,
} from '../../platform/config/setting.ts'
import { optional } from '../../platform/config/setting-group.ts'

const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

const hostName = (name: string, doc: string): Setting<string | undefined> => ({
  ...text(name, doc),
  form: 'the name of a host',
  parse: (given) => {
    const name = asciiName(given) ?? ''
    return HOST_NAME.test(name) ? name.toLowerCase() : undefined
  },
})

const ADDRESS = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[a-z0-9.-]+\.[a-z0-9-]+$/i

/** Whether a text is the address of a relay: a scheme, a host, and nothing behind it. */
function isRelay(given: string): boolean {
  const parsed = URL.parse(given)
  return (
    parsed !== null &&
    /^smtps?:$/.test(parsed.protocol) &&
    parsed.hostname !== '' &&
    /^\/?$/.test(parsed.pathname)
  )
}

const UNKNOWN_POLICIES = ['retry_once', 'hold'] as const
/** Ways to go on when nobody knows whether the relay got a message. */
export type UnknownPolicy = (typeof UNKNOWN_POLICIES)[number]

const yesOrNo = (name: string, doc: string, fallback: boolean): Setting<boolean> => ({
  name,
  doc,
  form: 'true or false',
  secret: false,
  fallback,
  parse: (given) => (given === 'true' ? true : given === 'false' ? false : undefined),
})

/** Seconds of a schedule, ascending or not. */
const seconds = (name: string, doc: string, fallback: readonly number[]): Setting<readonly number[]> => ({
  name,
  doc,
  form: 'a comma-separated list of 1 to 20 numbers of seconds from 1 to 172800',
  secret: false,
  fallback,
  parse: (given) => {
    const entries = given.split(',').map((entry) => entry.trim())
    const values = entries.map((entry) => (/^\d{1,6}$/.test(entry) ? Number(entry) : Number.NaN))
    return values.length <= 20 && values.every((value) => value >= 1 && value <= 172_800) ? values : undefined
  },
})

/** Days of a schedule, each once. */
const days = (name: string, doc: string, fallback: readonly number[]): Setting<readonly number[]> => ({
  name,
  doc,
  form: 'a comma-separated list of 1 to 20 different numbers of days from 0 to 365',
  secret: false,
  fallback,
  parse: (given) => {
    const entries = given.split(',').map((entry) => entry.trim())
    const values = entries.map((entry) => (/^\d{1,3}$/.test(entry) ? Number(entry) : Number.NaN))
    const isGood = values.every((value) => value <= 365) && new Set(values).size === values.length
    return values.length <= 20 && isGood ? values : undefined
  },
})

/** Settings of email. */
export const email = optional('Email', {
  smtpUrl: {
    ...url(
      'EMAIL_SMTP_URL',
      'The mail relay and who signs in there: smtps://, or smtp:// with STARTTLS. Unset: nothing is sent.',
      ['smtp', 'smtps'],
      { secret: true },
    ),
    parse: (given: string) => (isRelay(given) ? given : undefined),
  },
  smtpPlaintext: yesOrNo(
    'EMAIL_SMTP_ALLOW_PLAINTEXT',
    'Whether a relay on this machine may be spoken to without TLS.',
    false,
  ),
  returnPathHost: hostName(
    'EMAIL_RETURN_PATH_HOST',
    'Host of the address that bounces go to, `b+<message>@<host>`; unset: they go to the sender.',
  ),
  systemFrom: {
    ...text(
      'EMAIL_SYSTEM_FROM',
      'Address that messages of the service itself come from. Its domain is added without a license.',
    ),
    form: 'a mail address',
    parse: (given: string) => (ADDRESS.test(given) ? given : undefined),
  },
  dailyLimit: wholeNumber('EMAIL_DAILY_LIMIT', 'Recipients of a license in a day (UTC).', {
    fallback: 1000,
    min: 1,
    max: 10_000_000,
  }),
  retrySeconds: seconds(
    'EMAIL_RETRY_SCHEDULE',
    'Delays before each retry of a message that the relay puts off, in seconds.',
    [60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 43_200],
  ),
  expirySteps: days(
    'LICENSE_EXPIRY_STEPS',
    'Days before the end of a license on which its holder is reminded by mail.',
    [30, 14, 7, 3, 1, 0],
  ),
  dunningSteps: days(
    'DUNNING_STEPS',
    'Days after a failed payment on which the holder of the license is reminded by mail.',
    [0, 3, 7, 14],
  ),
  unknownPolicy: choice(
    'EMAIL_UNKNOWN_POLICY',
    'What is done with a message that the relay may have got: sent once more, or left to an operator.',
    UNKNOWN_POLICIES,
    'retry_once',
  ),
  bodyDays: wholeNumber(
    'EMAIL_BODY_RETENTION_DAYS',
    'Days that the contents of a message are kept after it is over.',
    { fallback: 7, min: 1, max: 90 },
  ),
  spfInclude: hostName(
    'EMAIL_SPF_INCLUDE',
    'Name that the SPF records of sending domains include. Without it and EMAIL_SPF_IPS nobody adds domains.',
  ),
  spfIps: list('EMAIL_SPF_IPS', 'Addresses that the mail relay sends from: SPF must let each of them send.', {
    of: 'IP addresses',
    accepts: (entry) => isIP(entry) !== 0 && !entry.includes('%'),
  }),
  dnsServers: list('EMAIL_DNS_SERVERS', "Resolvers that checks of domains ask; unset: the system's.", {
    of: 'IP addresses, each with or without a port',
    accepts: isResolverAddress,
  }),
  requireDmarc: yesOrNo('EMAIL_REQUIRE_DMARC', 'Whether a sending domain needs a DMARC policy.', true),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly email: typeof email
  }
}
