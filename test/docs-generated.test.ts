import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import './support/standard-input.ts'
import { generatedPages, stalePages } from '../scripts/generate/pages.ts'

const root = join(import.meta.dirname, '..')

describe('the generated reference', () => {
  test('says what the code says: npm run generate has nothing to write', async () => {
    expect(stalePages(await generatedPages(), (path) => readFileSync(join(root, path), 'utf8'))).toEqual([])
  })

  test('is the same text each time it is made', async () => {
    expect(await generatedPages()).toEqual(await generatedPages())
  })

  test('a page that was edited or is missing counts as stale, and no other', () => {
    const pages = new Map([
      ['current.md', 'same'],
      ['edited.md', 'written'],
      ['missing.md', 'new'],
    ])
    const onDisk: Readonly<Record<string, string>> = { 'current.md': 'same', 'edited.md': 'written by hand' }
    expect(stalePages(pages, (path) => onDisk[path])).toEqual(['edited.md', 'missing.md'])
  })

  test('a flag that generate does not know writes nothing and is an error', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--conditions=svc-source', 'scripts/generate.ts', '--chek'],
      { cwd: root, encoding: 'utf8' },
    )
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('--chek') })
  })
})
