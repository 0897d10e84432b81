import type { Setting } from './setting.ts'

type Settings = Readonly<Record<string, Setting<unknown>>>

/** The settings of a feature. A bad value closes an optional group; elsewhere it stops the start. */
export interface SettingGroup<O extends boolean = boolean, S extends Settings = Settings> {
  readonly title: string
  readonly optional: O
  readonly settings: S
}

/** A group without which the service does not start: a bad value is fatal. */
export const required = <S extends Settings>(title: string, settings: S): SettingGroup<false, S> => ({
  title,
  optional: false,
  settings,
})

/** A group that a bad value closes, while the rest of the service runs. */
export const optional = <S extends Settings>(title: string, settings: S): SettingGroup<true, S> => ({
  title,
  optional: true,
  settings,
})
