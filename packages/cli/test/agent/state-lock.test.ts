import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { lockStateFolder } from '../../src/agent/state/state-lock.ts'

test('A state folder is held by an agent that reads another boot id, until it ends or its pid is reused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-state-lock-'))
  const path = join(folder, 'agent.lock')
  const other = spawn('sleep', ['60'], { stdio: 'ignore' })
  try {
    await once(other, 'spawn')
    lockStateFolder(folder, other.pid ?? 0)
    const lock = { ...(JSON.parse(readFileSync(path, 'utf8')) as object), boot: 'other' }
    const takeAs = (more: object) => {
      writeFileSync(path, JSON.stringify({ ...lock, ...more }))
      lockStateFolder(folder, process.pid)[Symbol.dispose]()
    }
    expect(() => takeAs({})).toThrow('another agent works in this state folder')
    for (const more of [{ command: 'another' }, { started: '1' }, { pid: process.pid }]) takeAs(more)
    other.kill('SIGKILL')
    await once(other, 'exit')
    takeAs({})
  } finally {
    other.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
})
