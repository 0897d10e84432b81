import { type Config, type Environment, readSettings } from '../platform/config/config.ts'
import { referenceOf, type SettingReport, summaryOf } from '../platform/config/config-report.ts'
import { settingsOf } from '../platform/config/settings.ts'
import { FEATURES } from './features.ts'

/** Every setting of the service, by group, in the order of the reference. */
export const settings = settingsOf(FEATURES.settings)

/** Reads all settings, as `readSettings` does. `readConfig({})` gives the development defaults. */
export const readConfig = (env: Environment): Config => readSettings(FEATURES.settings, env)

/** Returns the settings that differ from their default, for the start-up log. */
export const configSummary = (config: Config): Readonly<Record<string, SettingReport>> =>
  summaryOf(settings, config)

/** Returns the reference of all settings. */
export const settingsMarkdown = (): string => referenceOf(settings)
