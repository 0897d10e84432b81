import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { packedFolder } from '../support/packed.ts'
import { BootedMachine } from './booted-machine.ts'

const AGENT = '/srv/svc-agent.mjs'
const INSTALL = ['install', '--url', 'https://svc.example']
const OLD = '#!/bin/sh\necho systemd 246\n'

const booted = await BootedMachine.boot({ '/usr/local/bin/node': process.execPath })
const onMachine = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''
const machine = booted as BootedMachine

beforeAll(async () => {
  if (typeof booted === 'string') return
  machine.write(AGENT, readFileSync(join(await packedFolder(), 'svc-agent.mjs'), 'utf8'))
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})
beforeEach(() => {
  if (typeof booted !== 'string') agent(['uninstall', '--purge'])
})

const agent = (
  args: readonly string[],
  input = 'svc_made_up_for_this_suite\n',
  through: readonly string[] = [],
) => machine.run([...through, 'node', AGENT, ...args], input)
const withHandlers = () => agent(INSTALL)
const states = () =>
  machine.run(['systemctl', 'is-enabled', 'svc-agent']).out +
  machine.run(['systemctl', 'is-active', 'svc-agent']).out
const started = () => machine.sh('systemctl show --value -p ExecMainStartTimestampMonotonic svc-agent')
const user = (name: string) => machine.run(['getent', 'passwd', name]).out.trim()

describe('svc agent install on a machine', () => {
  onMachine(
    `makes the users, enables and starts the agent, and does nothing the second time${without}`,
    () => {
      expect(withHandlers()).toMatchObject({
        code: 0,
        err: expect.stringContaining('journalctl -u svc-agent'),
      })
      expect(states()).toBe('enabled\nactive\n')
      expect(user('svc-agent')).toMatch(/:\/var\/lib\/svc-agent:\S*nologin$/)
      expect(user('svc-apps')).toMatch(/:\/var\/lib\/svc-apps:\/bin\/sh$/)
      expect(machine.sh('stat -c "%a %U %G" /var/lib/svc-apps')).toBe('750 svc-apps svc-apps')
      const first = started()
      const nothing = { code: 0, out: 'nothing has changed: the agent is installed and runs\n' }
      expect(withHandlers()).toMatchObject(nothing)
      expect(started()).toBe(first)
      expect(agent(['install', '--url', 'https://other.example'], '').code).toBe(0)
      expect(states()).toBe('enabled\nactive\n')
      expect(started()).not.toBe(first)
      expect(
        // A service that has just been started may still have systemd's own variables.
        machine.sh(
          'for turn in 1 2 3 4 5 6 7 8 9; do said=$(tr "\\0" "\\n" < /proc/$(systemctl show --value -p MainPID svc-agent)/environ)\n' +
            'case $said in *other.example*) break ;; esac; sleep 1; done; echo "$said"',
        ),
      ).toContain('https://other.example')
    },
  )

  onMachine(`is undone by uninstall, with the users and the state when it is to be purged${without}`, () => {
    withHandlers()
    expect(agent(['uninstall']).code).toBe(0)
    expect(states()).toBe('inactive\n')
    expect(user('svc-agent')).not.toBe('')
    expect(machine.run(['ls', '/etc/svc-agent']).code).toBe(2)
    expect(agent(['uninstall', '--purge']).code).toBe(0)
    expect([user('svc-agent'), user('svc-apps')]).toEqual(['', ''])
    expect(machine.run(['ls', '/var/lib/svc-apps']).code).toBe(2)
    expect(agent(['uninstall'])).toMatchObject({ code: 0, out: expect.stringContaining('nothing has') })
  })

  onMachine(`refuses without a key, and writes nothing then${without}`, () => {
    const said = agent(INSTALL, '')
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining('needs a license key') })
    expect(machine.run(['ls', '/etc/systemd/system/svc-agent.service']).code).toBe(2)
  })

  onMachine(
    `refuses without systemd, with an old one, and with a Node.js that is closed to others${without}`,
    () => {
      machine.write('/srv/old/systemctl', OLD, 0o755)
      machine.write('/srv/node', '', 0o700)
      const none = agent(INSTALL, '', [
        'unshare',
        '--mount',
        'sh',
        '-c',
        'mount -t tmpfs tmpfs /run && "$@"',
        'sh',
      ])
      expect(none).toMatchObject({ code: 1, err: expect.stringContaining('does not run on') })
      const old = agent(INSTALL, '', ['env', 'PATH=/srv/old:/usr/local/bin:/usr/bin:/bin'])
      expect(old).toMatchObject({ code: 1, err: expect.stringContaining('systemd 246') })
      const closed = agent([...INSTALL, '--node', '/srv/node'])
      expect(closed).toMatchObject({ code: 2, err: expect.stringContaining('other users cannot run') })
    },
  )

  onMachine(`refuses a user that is not root, and names the way to see what it would do${without}`, () => {
    const said = agent(INSTALL, '', ['setpriv', '--reuid=65534'])
    expect(said).toMatchObject({ code: 4, err: expect.stringContaining('needs root') })
    expect(said.err).toContain('--dry-run')
  })
})
