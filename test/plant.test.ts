import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { SettingGroup } from '../packages/core/src/platform/config/setting-group.ts'
import { settings } from '../packages/core/src/wiring/settings.ts'
import { copyOf } from '../scripts/checkout-copy.ts'
import { RULES } from '../scripts/mutate/rules.ts'
import { drawnFaults } from '../scripts/plant/draw.ts'
import { DRAW_RULES } from '../scripts/plant/draw-rules.ts'
import { listedFaults, planted } from '../scripts/plant/fault.ts'
import { faults as ofSettings, WITHOUT_EFFECT } from '../scripts/plant/faults/settings.ts'
import { runSuites } from '../scripts/plant/suites.ts'

const root = join(import.meta.dirname, '..')
const faults = await listedFaults()
const databaseUrl = process.env.SVC_TEST_POSTGRES ?? ''

describe('The list of planted faults', () => {
  test.each(faults)('has a place and suites for: $name', (fault) => {
    const source = readFileSync(join(root, fault.file), 'utf8')
    expect(planted(source, fault)).not.toBe(source)
    expect(fault.suites.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect(fault.suites).not.toHaveLength(0)
  })

  test('names each fault once', () => {
    const names = faults.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  test('has each setting once, as if it were never read', () => {
    const groups = Object.values<SettingGroup>(settings)
    const names = groups.flatMap((group) => Object.values(group.settings).map(({ name }) => name))
    const planted = ofSettings.map(({ name }) => name.replace(/^settings: | is not read$/g, ''))
    expect([...planted, ...WITHOUT_EFFECT].sort()).toEqual(names.sort())
  })

  test('refuses a fault whose piece is gone, stands twice, or changes nothing', () => {
    const fault = { name: 'x: y', file: 'a.ts', find: 'one', replace: 'two', suites: ['a'] }
    expect(() => planted('two', fault)).toThrow('stands 0 times')
    expect(() => planted('one one', fault)).toThrow('stands 2 times')
    expect(() => planted('one', { ...fault, replace: 'one' })).toThrow('changes nothing')
  })
})

describe('Drawn faults', () => {
  const drawn = drawnFaults(root, 60, 7)

  test('are those of their seed, each with a place and suites', () => {
    expect(drawn).toHaveLength(60)
    expect(drawnFaults(root, 60, 7)).toEqual(drawn)
    expect(drawnFaults(root, 60, 8)).not.toEqual(drawn)
    for (const fault of drawn) {
      expect(planted(readFileSync(join(root, fault.file), 'utf8'), fault)).toContain(fault.replace)
      expect(fault.suites.filter((path) => !existsSync(join(root, path)))).toEqual([])
    }
  })

  test('are of every kind', () => {
    const kinds = new Set(drawnFaults(root, 300, 1).map(({ name }) => name.split(' ').slice(1).join(' ')))
    const missing = DRAW_RULES.filter(({ name }) => ![...kinds].some((each) => each.startsWith(`${name}:`)))
    expect(missing.map(({ name }) => name)).toEqual([])
  })
})

test.each(RULES)('Rules that are mutated exist, and their suites: $sources', ({ sources, suites }) => {
  const found = (folder: string, paths: readonly string[], ending: string) =>
    paths.map((path) => globSync(`packages/core/${folder}/${path}${ending}`, { cwd: root }).length)
  expect([...found('src', sources, ''), ...found('test', suites, '.test.ts')]).not.toContain(0)
})

describe('Suites in a copy of the checkout', () => {
  const suites = ['packages/core/test/platform/signing/json-web-key.test.ts']
  const folder = copyOf(root)
  const path = join(folder, 'packages/core/src/platform/signing/json-web-key.ts')
  const source = readFileSync(path, 'utf8')

  test.each([
    ['passed', 'the source as it is', source],
    ['failed', 'a mistake', source.replace("hash('sha256'", "hash('sha1'")],
    ['broken', 'code that does not run', `${source}\nnot code`],
  ])('%s with %s', async (verdict, _, text) => {
    writeFileSync(path, text)
    const outcome = await runSuites(folder, suites, { databaseUrl, patienceMs: 60_000 })
    expect(`${outcome.verdict}: ${outcome.why}`).toMatch(new RegExp(`^${verdict}: `))
  })

  test('hung when their time is over', async () => {
    writeFileSync(path, `${source}\nfor (;;);`)
    expect(await runSuites(folder, suites, { databaseUrl, patienceMs: 3000 })).toMatchObject({
      verdict: 'hung',
    })
  })
})
