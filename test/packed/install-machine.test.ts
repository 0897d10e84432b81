import { cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { packedFolder } from '../support/packed.ts'
import { noMachine, SystemdMachine } from './systemd-machine.ts'

const KEY = 'svc_made_up_for_this_suite'
const URL = 'https://svc.example'

let folder: string
let agentFile: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-install-'))
  agentFile = join(folder, 'svc-agent.mjs')
  cpSync(join(await packedFolder(), 'svc-agent.mjs'), agentFile)
}, 180_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const onMachine = noMachine === '' ? test : test.skip
const without = noMachine === '' ? '' : ` (skipped: ${noMachine})`

describe('svc agent install on a machine', () => {
  // Every user may run it, which is what matters here.
  const ARGS = ['install', '--url', URL, '--node', '/usr/bin/env']

  onMachine(
    `makes the users, enables and starts the agent, and does nothing the second time${without}`,
    () => {
      using machine = new SystemdMachine()
      const first = machine.run([agentFile, ...ARGS, '--handler-user', 'svc-apps'], `${KEY}\n`)
      expect(first).toMatchObject({ code: 0, err: expect.stringContaining('journalctl -u svc-agent') })
      expect(machine.told()).toEqual(['daemon-reload', 'enable svc-agent.service', 'start svc-agent.service'])
      expect(machine.user('svc-agent')).toMatch(/:\/var\/lib\/svc-agent:\S*nologin$/)
      expect(machine.user('svc-apps')).toMatch(/:\/var\/lib\/svc-apps:\/bin\/sh$/)
      const home = statSync(join(machine.folder, 'var-lib/svc-apps'))
      expect([home.mode & 0o777, String(home.uid)]).toEqual([0o750, machine.user('svc-apps').split(':')[2]])
      const second = machine.run([agentFile, ...ARGS, '--handler-user', 'svc-apps'], `${KEY}\n`)
      expect(second).toMatchObject({ code: 0, out: 'nothing has changed: the agent is installed and runs\n' })
      expect(machine.told()).toEqual([])
      const moved = machine.run([agentFile, ...ARGS, '--url', 'https://other.example'])
      expect(moved.code).toBe(0)
      expect(machine.told()).toEqual(['daemon-reload', 'restart svc-agent.service'])
    },
  )

  onMachine(`is undone by uninstall, with the users and the state when it is to be purged${without}`, () => {
    using machine = new SystemdMachine()
    machine.run([agentFile, ...ARGS, '--handler-user', 'svc-apps'], `${KEY}\n`)
    machine.told()
    expect(machine.run([agentFile, 'uninstall']).code).toBe(0)
    expect(machine.told()).toEqual(['disable --now svc-agent.service', 'daemon-reload'])
    expect(machine.user('svc-agent')).not.toBe('')
    expect(existsSync(join(machine.folder, 'etc/svc-agent'))).toBe(false)
    expect(machine.run([agentFile, 'uninstall', '--purge']).code).toBe(0)
    expect([machine.user('svc-agent'), machine.user('svc-apps')]).toEqual(['', ''])
    expect(existsSync(join(machine.folder, 'var-lib/svc-apps'))).toBe(false)
    expect(machine.run([agentFile, 'uninstall'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing has'),
    })
  })

  onMachine(`refuses without a key, and writes nothing then${without}`, () => {
    using machine = new SystemdMachine()
    const said = machine.run([agentFile, ...ARGS])
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining('needs a license key') })
    expect(existsSync(join(machine.folder, 'etc/systemd/system/svc-agent.service'))).toBe(false)
  })

  onMachine(
    `refuses without systemd, with an old one, and with a Node.js that is closed to others${without}`,
    () => {
      using none = new SystemdMachine({ hasSystemd: false })
      expect(none.run([agentFile, ...ARGS])).toMatchObject({
        code: 1,
        err: expect.stringContaining('does not run on'),
      })
      using old = new SystemdMachine({ version: 246 })
      expect(old.run([agentFile, ...ARGS])).toMatchObject({
        code: 1,
        err: expect.stringContaining('systemd 246'),
      })
      using machine = new SystemdMachine()
      writeFileSync(join(machine.folder, 'node'), '', { mode: 0o700 })
      const closed = machine.run([agentFile, ...ARGS, '--node', join(machine.folder, 'node')])
      expect(closed).toMatchObject({ code: 2, err: expect.stringContaining('other users cannot run') })
    },
  )

  onMachine(`refuses a user that is not root, and names the way to see what it would do${without}`, () => {
    using machine = new SystemdMachine()
    cpSync(agentFile, join(machine.folder, 'svc-agent.mjs'))
    const program = `process.setuid('nobody'); process.argv = ['node', 'svc-agent', ...${JSON.stringify(ARGS)}]; import('${join(machine.folder, 'svc-agent.mjs')}')`
    const said = machine.run(['-e', program])
    expect(said).toMatchObject({ code: 4, err: expect.stringContaining('needs root') })
    expect(said.err).toContain('--dry-run')
  })
})
