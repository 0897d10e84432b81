import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'

const ROOT = join(import.meta.dirname, '../../../..')

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

describe('What a file in the bundle reads beside itself is where it would be for its source', () => {
  test('Only files directly in src ask where they are: the bundle lies as deep as they do', () => {
    const deep = globSync('packages/{core,http,cli}/src/*/**/*.ts', { cwd: ROOT })
    expect(deep.length).toBeGreaterThan(100)
    expect(deep.filter((path) => textOf(path).includes('import.meta'))).toEqual([])
  })

  test("Every package has the same version: the bundle's parts all read that of the command's package", () => {
    const manifests = ['lerna.json', ...globSync('packages/*/package.json', { cwd: ROOT })]
    const versions = manifests.map((path) => (JSON.parse(textOf(path)) as { version: string }).version)
    expect(versions.length).toBeGreaterThan(4)
    expect([...new Set(versions)]).toHaveLength(1)
  })
})
