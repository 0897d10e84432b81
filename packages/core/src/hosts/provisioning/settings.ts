import { MONEY_FORM, type Money, moneyText, readMoney } from '../../kernel/money.ts'
import { choice, type Setting, text, wholeNumber } from '../../platform/config/setting.ts'
import { optional } from '../../platform/config/setting-group.ts'
import { sharedSecret } from '../../platform/config/shared-secret.ts'

/** Whether a text is the address of a server on this machine, without a path. */
function isLoopback(given: string): boolean {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  const { username, password, pathname, search, hash, hostname } = url
  const isPlain = [username, password, search, hash].every((part) => part === '') && pathname === '/'
  return isPlain && (/^127(?:\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]')
}

/** The address of a provider's API: its own, or one of this machine for tests. */
const apiBase = (name: string, provider: string, fixed: string): Setting<string> => ({
  name,
  doc: `Where ${provider}'s API is; only tests set it.`,
  form: `${fixed}, or an address of this machine such as http://127.0.0.1:8080`,
  secret: false,
  fallback: fixed,
  parse: (given) => (given === fixed || isLoopback(given) ? given.replace(/\/$/, '') : undefined),
})

const ceiling: Setting<Money | undefined> = {
  name: 'PROVISIONING_SPEND_CEILING',
  doc: 'The most that all ordered servers together may cost a month; unset: none is ordered.',
  form: `${MONEY_FORM}, above 0.00`,
  secret: false,
  fallback: undefined,
  parse: (given) => {
    const money = readMoney(given)
    return money === undefined || money.minor === 0 ? undefined : money
  },
  show: (money) => (money === undefined ? '' : moneyText(money)),
}

/** Settings of the provisioning of servers. */
export const provisioning = optional('Provisioning of servers', {
  workerSecret: sharedSecret(
    'PROVISIONING_WORKER_SECRET',
    'Secret of the provisioning worker; unset: every call is refused.',
  ),
  live: choice(
    'PROVISIONING_LIVE',
    'Whether servers are really ordered. Only true does; taking servers away needs no opt-in.',
    ['false', 'true'],
    'false',
  ),
  hetznerToken: text('PROVISIONING_HETZNER_TOKEN', 'API token of the Hetzner project, read and write.', {
    secret: true,
  }),
  digitaloceanToken: text(
    'PROVISIONING_DIGITALOCEAN_TOKEN',
    'API token of the DigitalOcean project, read and write.',
    { secret: true },
  ),
  hetznerApiBase: apiBase('PROVISIONING_HETZNER_API_BASE', 'Hetzner', 'https://api.hetzner.cloud'),
  digitaloceanApiBase: apiBase(
    'PROVISIONING_DIGITALOCEAN_API_BASE',
    'DigitalOcean',
    'https://api.digitalocean.com',
  ),
  templateFile: text(
    'PROVISIONING_TEMPLATE_FILE',
    'File with the user data of new servers, with placeholders; unset: none is ordered.',
  ),
  spendCeiling: ceiling,
  maxPerLicense: wholeNumber(
    'PROVISIONING_MAX_SERVERS_PER_LICENSE',
    'The most ordered servers of a license.',
    {
      fallback: 3,
      min: 1,
      max: 1000,
    },
  ),
  createsPerHour: wholeNumber(
    'PROVISIONING_CREATES_PER_HOUR',
    'The most requests for servers within an hour.',
    {
      fallback: 5,
      min: 1,
      max: 1000,
    },
  ),
  credentialMaxAgeHours: wholeNumber(
    'PROVISIONING_CREDENTIAL_MAX_AGE_HOURS',
    'Hours that a check of a token counts; the tick checks it again after half of them.',
    { fallback: 24, min: 1, max: 720 },
  ),
  destroyOnFailure: choice(
    'PROVISIONING_DESTROY_ON_FAILURE',
    'Whether the server of a failed order is taken away; false leaves it to an operator.',
    ['true', 'false'],
    'true',
  ),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly provisioning: typeof provisioning
  }
}
