import {
  choice,
  isSite,
  list,
  originOf,
  type Setting,
  text,
  wholeNumber,
} from '../../platform/config/setting.ts'
import { optional } from '../../platform/config/setting-group.ts'

const MAX_SECRETS = 3

const secretKey: Setting<string | undefined> = {
  ...text(
    'PAYMENT_SECRET_KEY',
    "Key of the provider's API; without one, events are applied as they tell it.",
    {
      secret: true,
    },
  ),
  form: 'a key of the provider, sk_live_… or rk_live_…',
  parse: (given) => (/^[sr]k_(?:live|test)_[A-Za-z0-9_]{8,255}$/.test(given) ? given : undefined),
}

const webhookSecrets: Setting<readonly string[]> = {
  ...list('PAYMENT_WEBHOOK_SECRET', 'Secrets of the endpoint that events arrive at; any one will do.', {
    secret: true,
    of: `1 to ${MAX_SECRETS} secrets that begin with whsec_`,
    accepts: (entry) => /^whsec_[A-Za-z0-9+/=_-]{8,255}$/.test(entry),
  }),
}

const TIER = /^PAYMENT_PRICE_([A-Z][A-Z0-9_]{0,31})$/
const PRICE = /^price_[A-Za-z0-9]{1,250}$/

/** The tiers by the ids of their prices, one price each. */
const prices: Setting<Readonly<Record<string, string>>> = {
  name: 'PAYMENT_PRICE_<TIER>',
  family: 'PAYMENT_PRICE_',
  doc: 'The price of a tier at the provider: `PAYMENT_PRICE_PRO` is the price of the tier `pro`.',
  form: 'the id of a price, price_…, of one tier alone; the name in capitals, digits and underscores',
  secret: false,
  fallback: {},
  parse: (entries) => {
    const found: Record<string, string> = Object.create(null)
    for (const entry of entries.split('\0')) {
      const [name = '', price = ''] = entry.split('=', 2)
      const [, tier] = TIER.exec(name) ?? []
      if (tier === undefined || !PRICE.test(price) || found[price] !== undefined) return undefined
      found[price] = tier.toLowerCase()
    }
    return { ...found }
  },
  show: (given) => Object.values(given).sort().join(', ') || 'unset',
}

const apiBase: Setting<string | undefined> = {
  ...text('PAYMENT_API_BASE', "The provider's API, or a stand-in for it on this machine."),
  form: 'https://api.stripe.com, or an http address of this machine by its IP address',
  parse: (given) => {
    if (!isSite(given)) return undefined
    const { origin, protocol, hostname } = new URL(given)
    if (origin === 'https://api.stripe.com') return origin
    return protocol === 'http:' && /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname) ? origin : undefined
  },
}

/** Settings of billing. */
export const billing = optional('Billing', {
  provider: choice('PAYMENT_PROVIDER', 'The payment provider.', ['stripe'], 'stripe'),
  secretKey,
  webhookSecrets: {
    ...webhookSecrets,
    parse: (given) => {
      const entries = webhookSecrets.parse(given)
      return entries !== undefined && entries.length <= MAX_SECRETS ? entries : undefined
    },
  } satisfies Setting<readonly string[]>,
  prices,
  apiBase,
  returnOrigins: list(
    'BILLING_RETURN_ORIGINS',
    'Sites that a checkout may lead back to; unset: the site of `SERVICE_PUBLIC_URL`.',
    {
      of: 'sites such as https://panel.example.com',
      accepts: (entry) => isSite(entry) && entry.startsWith('https:'),
      keepAs: originOf,
    },
  ),
  graceDays: wholeNumber(
    'BILLING_GRACE_DAYS',
    'Days that a license goes on after the end of the paid period.',
    { fallback: 14, min: 0, max: 365 },
  ),
  toleranceSeconds: wholeNumber(
    'PAYMENT_TOLERANCE_SECONDS',
    'How far the time of an event may be from ours, in seconds.',
    { fallback: 300, min: 30, max: 600 },
  ),
  acceptTestEvents: choice(
    'PAYMENT_ACCEPT_TEST_EVENTS',
    "Whether production takes keys and events of the provider's test mode.",
    ['false', 'true'],
    'false',
  ),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly billing: typeof billing
  }
}
