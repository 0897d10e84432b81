import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const BIN = fileURLToPath(new URL('../../src/bin.ts', import.meta.url))
const FLAGS = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning']

test('A reader that goes away, as head does, ends a command without a word and with code 0', async () => {
  const svc = spawn(process.execPath, [...FLAGS, BIN, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = once(svc, 'close')
  svc.stdout.destroy()
  expect(await text(svc.stderr)).toBe('')
  await gone
  expect(svc.exitCode).toBe(0)
})
