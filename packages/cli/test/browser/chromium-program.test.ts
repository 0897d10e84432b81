import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { readConfig } from '@svc/core'
import { chromiumLack, chromiumProgram } from '../../src/browser/chromium-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-chromium-'))
const own = join(folder, 'chromium')
writeFileSync(own, '#!/bin/sh\n')
chmodSync(own, 0o755)
afterAll(() => rmSync(folder, { recursive: true }))

test('The browser that the settings name is taken before one that is installed, and no other', () => {
  expect(chromiumProgram(readConfig({ BROWSER_EXECUTABLE: own }))).toBe(own)
  const gone = readConfig({ BROWSER_EXECUTABLE: join(folder, 'gone') })
  expect([chromiumProgram(gone), chromiumLack(gone)]).toEqual([
    undefined,
    'there is no file at BROWSER_EXECUTABLE',
  ])
})

test('Root has no browser with a sandbox, and says how to go on', () => {
  const lack = (env: Record<string, string>) => chromiumLack(readConfig({ BROWSER_EXECUTABLE: own, ...env }))
  const isRoot = process.getuid?.() === 0
  expect(lack({})).toEqual(isRoot ? expect.stringContaining('BROWSER_NO_SANDBOX=1') : undefined)
  expect(lack({ BROWSER_NO_SANDBOX: '1' })).toBeUndefined()
})
