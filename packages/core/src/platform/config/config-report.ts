import { isDeepStrictEqual } from 'node:util'
import type { Config } from './config.ts'
import type { Setting } from './setting.ts'
import type { SettingGroup } from './setting-group.ts'
import type { Groups } from './settings.ts'

/** The report of a setting at start-up: its value, or for a secret only whether it is set. */
export type SettingReport = string | number | readonly string[]

/**
 * Returns the settings that differ from their default by environment name, for the start-up log. Secrets are
 * `set` or `set (file)`.
 */
export function summaryOf(settings: Groups, config: Config): Readonly<Record<string, SettingReport>> {
  const groups = config as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  const entries = Object.entries(settings).flatMap(([groupName, group]) =>
    Object.entries(group.settings).flatMap(([key, setting]) => {
      const shown = shownValue(setting, groups[groupName]?.[key])
      if (isDeepStrictEqual(shown, shownValue(setting, setting.fallback))) return []
      const set = setting.name in config.files ? 'set (file)' : 'set'
      return [[setting.name, setting.secret ? set : shown] as const]
    }),
  )
  return Object.fromEntries(entries)
}

function shownValue(setting: Setting<unknown>, value: unknown): SettingReport {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'unset'
  return setting.show?.(value) ?? (Array.isArray(value) ? value : (value as string | number))
}

/** Returns the reference of settings, which is the text of docs/reference/settings.md. */
export function referenceOf(settings: Groups): string {
  const sections = Object.values(settings).map(sectionOf)
  return [INTRODUCTION, ...sections].join('\n')
}

const INTRODUCTION = `# Settings

Written from the table of settings in the code; change that, not this page. Settings come from the environment. An empty
value counts as unset. All faults are reported together at the start, and no report shows a secret. What is marked
\`secret\` may stand in a file: \`DATABASE_URL_FILE=/run/secrets/database-url\` instead of \`DATABASE_URL\`, and so on
([secrets in files](../deployment.md#secrets-in-files)).
`

function sectionOf(group: SettingGroup): string {
  const note = group.optional
    ? 'A bad value here closes this feature (503) and leaves the service running.\n\n'
    : ''
  const rows = Object.values(group.settings).map(rowOf).join('\n')
  return `## ${group.title}\n\n${note}| Name | Value | Default | What it does |\n|---|---|---|---|\n${rows}\n`
}

function rowOf(setting: Setting<unknown>): string {
  const { name, form, secret, fallback, doc } = setting
  const shown = shownValue(setting, fallback)
  const cells = [
    `\`${name}\``,
    secret ? `${form}, secret` : form,
    shown === 'unset' ? shown : `\`${shown}\``,
    doc,
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
