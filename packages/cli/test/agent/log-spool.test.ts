import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { LogSpool } from '../../src/agent/state/log-spool.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-spool-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function nextPath(): string {
  files += 1
  return join(folder, `${files}.ndjson`)
}
const texts = (lines: string[]) => lines.map((line) => JSON.parse(line).line)

function filled(path: string, count: number): LogSpool {
  const spool = new LogSpool(path)
  for (let index = 0; index < count; index += 1) spool.append({ ts: index, line: `line ${index}` })
  return spool
}

test('Lines are read from any place, forwards and back', () => {
  const spool = filled(nextPath(), 5000)
  expect(texts(spool.read(4990, 5, 1e9))).toEqual([4990, 4991, 4992, 4993, 4994].map((n) => `line ${n}`))
  expect(texts(spool.read(4995, 1000, 1e9))).toHaveLength(5)
  expect(texts(spool.read(10, 2, 1e9))).toEqual(['line 10', 'line 11'])
  expect(spool.read(5000, 10, 1e9)).toEqual([])
  spool.close()
})

test('A read is bounded in bytes but never empty while lines are left', () => {
  const spool = filled(nextPath(), 10)
  expect(spool.read(0, 10, 60)).toHaveLength(2)
  expect(spool.read(0, 10, 1)).toHaveLength(1)
  spool.close()
})

test('A spool that is opened again goes on behind its last whole line', () => {
  const path = nextPath()
  filled(path, 3).close()
  appendFileSync(path, '{"ts":9,"li')
  const spool = new LogSpool(path)
  spool.append({ ts: 3, line: 'line 3' })
  expect(spool.count).toBe(4)
  expect(texts(spool.read(0, 10, 1e9))).toEqual(['line 0', 'line 1', 'line 2', 'line 3'])
  spool.close()
})

test('At the cap one line says so and the rest is dropped', () => {
  const spool = new LogSpool(nextPath(), 3)
  const kept = ['a', 'b', 'c', 'd'].map((line) => spool.append({ ts: 0, line }))
  expect(kept).toEqual([true, true, true, false])
  expect(texts(spool.read(0, 10, 1e9))).toEqual(['a', 'b', expect.stringContaining('full')])
  spool.close()
})

test('A closed spool drops lines instead of failing', () => {
  const spool = filled(nextPath(), 1)
  spool.close()
  spool.close()
  expect(spool.append({ ts: 0, line: 'late' })).toBe(false)
})
