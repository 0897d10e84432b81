import { describe, expect, test } from '@jest/globals'
import type { Environment } from '@svc/core'

/** The effect of a setting, seen on a plane with it and on one without it. */
export interface SettingEffect {
  readonly name: string
  readonly value: string
  /** Makes a plane with these settings, and returns the plane's behaviour, as a value to compare. */
  readonly seen: (env: Environment) => Promise<unknown>
  readonly unset: unknown
  readonly set: unknown
}

/** Declares a test for each effect. `scripts/plant/faults/settings.ts` plants settings that are not read. */
export function describeEffects(title: string, effects: readonly SettingEffect[]): void {
  describe(title, () => {
    test.each(effects)('$name=$value', async ({ name, value, seen, unset, set }) => {
      expect({ unset: await seen({}), set: await seen({ [name]: value }) }).toEqual({ unset, set })
    })
  })
}

/** Returns the code of the problem that a promise is refused with, or `done`. */
export const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? String(error),
  )
