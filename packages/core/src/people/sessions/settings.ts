import { list, type Setting } from '../../platform/config/setting.ts'
import { optional } from '../../platform/config/setting-group.ts'
import { SECRET_CHARS_ADVISED } from '../../platform/config/shared-secret.ts'

/** Secrets that sign session cookies. A short one is accepted with a warning. */
const secrets: Setting<readonly string[]> = {
  ...list(
    'SERVICE_SESSION_SECRET',
    'Signs session cookies: the first signs, all verify. Unset in production closes login.',
    {
      secret: true,
      of: 'secrets',
    },
  ),
  caution: (secrets) =>
    secrets.some((secret) => secret.length < SECRET_CHARS_ADVISED)
      ? `has an entry shorter than ${SECRET_CHARS_ADVISED} characters, which can be guessed`
      : undefined,
}

/** Settings of sessions. */
export const sessions = optional('Sessions', { secrets })

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly sessions: typeof sessions
  }
}
