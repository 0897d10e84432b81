import { list, type Setting, wholeNumber } from '../../platform/config/setting.ts'
import { required } from '../../platform/config/setting-group.ts'
import { isSendable } from '../../platform/config/shared-secret.ts'

/**
 * The allow-list. A key that cannot be a bearer token causes a warning: it works in the body of an activation
 * only.
 */
const licenseKeys: Setting<readonly string[]> = {
  ...list('SERVICE_LICENSE_KEYS', 'License keys accepted without a row in the database.', {
    secret: true,
    of: 'license keys',
  }),
  caution: (keys) =>
    keys.every(isSendable)
      ? undefined
      : 'has a key that is not of 1 to 512 visible ASCII characters: hosts can activate with it and call nothing else',
}

/** The plan and the features that an activation tells. */
export interface Tier {
  readonly plan: string
  readonly features: readonly string[]
}

const TIER = /^([a-z][a-z0-9_]{0,31})=([A-Za-z][\w-]{0,63}):([\w-]{1,64}(?:,[\w-]{1,64})*)$/

/** Tiers by name. */
const tiers: Setting<Readonly<Record<string, Tier>>> = {
  name: 'SERVICE_LICENSE_TIERS',
  doc: 'Plan and features of the tiers of licenses; a license without one of these tiers has every feature.',
  form: 'tiers such as `starter=starter:deploy,db; pro=business:deploy,db,mcp`, each once',
  secret: false,
  fallback: {},
  parse: (given) => {
    const found: Record<string, Tier> = Object.create(null)
    for (const entry of given.split(';').map((each) => each.replace(/\s/g, ''))) {
      const [, name, plan, features] = TIER.exec(entry) ?? []
      if (name === undefined || plan === undefined || features === undefined) return undefined
      if (found[name] !== undefined) return undefined
      found[name] = { plan, features: [...new Set(features.split(','))] }
    }
    return { ...found }
  },
  show: (given) => Object.keys(given).join(', ') || 'unset',
}

const agentOnly: Setting<boolean> = {
  name: 'SERVICE_LICENSES_AGENT_ONLY',
  doc: 'Whether the key of a new license acts for hosts alone; the rest then takes an API token.',
  form: '1 or true, 0 or false',
  secret: false,
  fallback: false,
  parse: (given) => (/^(?:1|true)$/.test(given) ? true : /^(?:0|false)$/.test(given) ? false : undefined),
}

/** Settings of licenses and their activation tokens. */
export const licensing = required('Licensing', {
  keys: licenseKeys,
  tiers,
  agentOnly,
  ttlDays: wholeNumber('SERVICE_LICENSE_TTL_DAYS', 'Lifetime of activation tokens in days.', {
    fallback: 7,
    min: 1,
    max: 3650,
  }),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly licensing: typeof licensing
  }
}
