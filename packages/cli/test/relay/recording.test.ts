import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { Log } from '@svc/core'
import { FakeClock } from '@svc/testing'
import { Recording } from '../../src/relay/recording.ts'

const logged: string[] = []
const note = (_fields: object, message: string) => void logged.push(message)
const log: Log = { debug: note, info: note, warn: note, error: note }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-recording-'))
  logged.length = 0
})
afterEach(() => rmSync(folder, { recursive: true }))

test('A recording ends with the last whole line below its longest size, and says so once', async () => {
  let failures = 0
  const recording = new Recording({
    ...{ folder, sid: 'acs_1', mode: 'shell', clock: new FakeClock(), log, mostBytes: 400 },
    screen: { cols: 80, rows: 24, term: 'xterm' },
    onFailed: () => {
      failures += 1
    },
  })
  for (let line = 0; line < 30; line += 1) recording.output(Buffer.from(`line ${line} of what a host prints`))
  // Its end may wait for the disk.
  const text = await settled(join(folder, 'acs_1.cast'))
  expect(text.length).toBeLessThanOrEqual(400)
  expect(text.length).toBeGreaterThan(300)
  expect(text.endsWith('\n')).toBe(true)
  const [head, ...events] = text
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each))
  expect(head).toMatchObject({ version: 2 })
  expect(events.map(([, , what]) => what)).toEqual(
    events.map((_, line) => `line ${line} of what a host prints`),
  )
  expect([logged, failures]).toEqual([['a recording is as long as it may be: it ends here'], 0])
})

async function settled(path: string): Promise<string> {
  let text = ''
  for (let same = 0; same < 20; ) {
    await new Promise((resolve) => setImmediate(resolve))
    const now = existsSync(path) ? readFileSync(path, 'utf8') : ''
    same = now === text && now !== '' ? same + 1 : 0
    text = now
  }
  return text
}
