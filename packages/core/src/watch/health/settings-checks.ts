import type { Config, OptionalGroup } from '../../platform/config/config.ts'
import type { SettingGroup } from '../../platform/config/setting-group.ts'
import type { Groups } from '../../platform/config/settings.ts'
import type { NamedCheck } from './system-check.ts'

const isSet = (value: unknown, fallback: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== fallback

function isConfigured(config: Config, name: OptionalGroup, { settings }: SettingGroup): boolean {
  const values: Readonly<Record<string, unknown>> = config[name]
  return Object.entries(settings).some(([key, { fallback }]) => isSet(values[key], fallback))
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * Returns a check of all settings, and one for each optional group that is set or disabled by a bad value.
 */
export function settingsChecks(config: Config, settings: Groups): readonly NamedCheck[] {
  const optional = Object.entries(settings).filter(([, group]) => group.optional)
  const groups = optional.flatMap(([given, group]): NamedCheck[] => {
    const name = given as OptionalGroup
    const isClosed = config.faults[name] !== undefined
    if (!isClosed && !isConfigured(config, name, group)) return []
    const run: NamedCheck['run'] = () =>
      isClosed ? { status: 'fail', detail: 'bad-setting' } : { status: 'ok' }
    return [{ name: `settings-${kebab(name)}`, run }]
  })
  const doubtful = config.warnings.length > 0
  const whole: NamedCheck = {
    name: 'settings',
    run: () => (doubtful ? { status: 'warn', detail: 'doubtful-setting' } : { status: 'ok' }),
  }
  return [whole, ...groups]
}
