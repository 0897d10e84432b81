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
import { SECRET_CHARS_ADVISED, SECRET_CHARS_NEEDED } from '../../platform/config/shared-secret.ts'

const secrets: Setting<readonly string[]> = {
  ...list(
    'ATTACK_SURFACE_SECRET',
    'Makes the records that prove a domain: the first makes, all are taken. Unset in production closes scans.',
    { secret: true, of: 'secrets' },
  ),
  caution: (given) => {
    if (given.some((each) => each.length < SECRET_CHARS_NEEDED))
      return `has an entry shorter than ${SECRET_CHARS_NEEDED} characters, which counts as unset`
    return given.some((each) => each.length < SECRET_CHARS_ADVISED)
      ? `has an entry shorter than ${SECRET_CHARS_ADVISED} characters, which can be guessed`
      : undefined
  },
}

/** Settings of scans from outside. */
export const surface = optional('Attack surface', {
  enabled: choice('ATTACK_SURFACE_ENABLED', 'Whether domains are scanned from outside.', ['1', '0'], '1'),
  secrets,
  dnsServers: list('ATTACK_SURFACE_DNS_SERVERS', "Resolvers that scans ask; unset: the system's.", {
    of: 'IP addresses, each with or without a port',
    accepts: isResolverAddress,
  }),
  ctUrl: url('CT_URL', 'Where certificate logs are asked, with `{domain}` in it; unset: crt.sh.', [
    'https',
    'http',
  ]),
  certSpotterToken: text('CERTSPOTTER_TOKEN', 'Token of Cert Spotter, which is asked when crt.sh fails.', {
    secret: true,
  }),
  mostRunning: wholeNumber(
    'ATTACK_SURFACE_MAX_CONCURRENT',
    'Scans that run at the same time; 0: this replica begins none.',
    {
      fallback: 2,
      min: 0,
      max: 20,
    },
  ),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly surface: typeof surface
  }
}
