import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { packedFolder } from '../support/packed.ts'
import { BootedMachine } from './booted-machine.ts'
import { dependenciesOfPlane, InstalledPlane, type IssuedLicense } from './installed-plane.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const PLANE = 'http://127.0.0.1:8080'
const AGENT = '/srv/svc-agent.mjs'
const BEGUN = '/var/lib/svc-agent/handlers/begun'
/** Names, owners and rights of everything in the folder of the agent. */
const FOLDERS = 'find /var/lib/svc-agent -printf "%P %M %U %G\\n" | sort'
// The handler of a job: its user, the files of the agent that it can read, and whether it comes to its end.
const HANDLER = `#!/bin/sh
id -un
for secret in /etc/svc-agent/key /run/credentials/svc-agent.service/key "/proc/$PPID/environ"; do
  cat "$secret" 2>/dev/null && echo "read $secret"
done
touch "$SVC_STATE_DIR/begun"
sleep "\${SVC_OLDER_THAN_SECONDS:-0}"
echo done
`

// New connections to the plane are refused; those that are there go on.
const CUT = `table ip cut {
  chain out {
    type filter hook output priority 0
    tcp dport 8080 ct state new reject
  }
}
`

const booted = await BootedMachine.boot({
  '/usr/local/bin/node': process.execPath,
  ...dependenciesOfPlane(CHECKOUT),
})
const onMachine = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''
const machine = booted as BootedMachine
const lacks = (program: string) => spawnSync(program, ['-V']).error !== undefined
const isBare = typeof booted !== 'string' && (lacks('nft') || lacks('/usr/sbin/sshd'))
const onFirewalled = isBare ? test.skip : onMachine
const unwalled = isBare ? ' (skipped: this machine lacks nft or sshd)' : without

let plane: InstalledPlane
let issued: IssuedLicense
/** The files of the machine before the agent was installed. */
let before: readonly string[]

beforeAll(async () => {
  if (typeof booted === 'string') return
  plane = new InstalledPlane(machine, await packedFolder())
  machine.write(AGENT, readFileSync(join(await packedFolder(), 'svc-agent.mjs'), 'utf8'))
  machine.write('/srv/handlers/prune', HANDLER, 0o755)
  // Folders of the system that an installation writes to, and leaves.
  machine.sh('mkdir -p /etc/sysusers.d /etc/tmpfiles.d')
  plane.start()
  issued = plane.json<IssuedLicense>('licenses', 'issue')
  before = files()
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

/** The files of the machine, but for those that the plane and systemd write in their own time. */
const files = () =>
  machine.added().filter((path) => !/^\/(?:var\/lib\/(?:svc|systemd)|var\/log|var\/tmp|tmp)\//.test(path))
const property = (unit: string, name: string) => machine.sh(`systemctl show --value -p ${name} ${unit}`)
const rules = () => machine.run(['nft', '-s', 'list', 'table', 'inet', 'svc_fw']).out
const enqueue = (seconds: number) => {
  const payload = JSON.stringify({ older_than_seconds: seconds })
  return plane.json<{ job: { id: string } }>(
    'jobs',
    'enqueue',
    'prune',
    '--license',
    issued.license.id,
    '--payload',
    payload,
  ).job.id
}
const install = (...more: readonly string[]) =>
  machine.run(
    ['node', AGENT, 'install', '--url', PLANE, '--handlers', '/srv/handlers', ...more],
    `${issued.key}\n`,
  )
/** Gives the host a document that opens a port, as soon as the plane knows that the host takes it. */
async function set(port: string): Promise<string> {
  const allow = [{ ports: ['22', port], proto: 'tcp' }]
  machine.write(
    '/run/web.json',
    JSON.stringify({ firewall: { enabled: true, allow }, sysctl: 'baseline', ssh: { max_auth_tries: 3 } }),
  )
  const words = ['security', 'set', 'web-1', '-f', '/run/web.json', '--rollback-seconds', '30', '--json']
  for (;;) {
    const { code, out, err } = plane.svc(...words)
    if (code === 0) return (JSON.parse(out) as { job_id: string }).job_id
    if (!err.includes('unsupported')) throw new Error(err)
    await pause(100)
  }
}
const log = (job: string) => plane.svc('jobs', 'logs', job, '--follow').out
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(50)
}

describe('On a machine with systemd', () => {
  onMachine(
    `the installed agent does a job, whose handler can read none of its secrets${without}`,
    () => {
      const job = enqueue(0)
      expect(install()).toMatchObject({ code: 0 })
      expect(log(job)).toMatch(/^svc-apps\ndone\n\S+ succeeded/)
      const { servers } = plane.json<{ servers: readonly object[] }>('fleet', 'servers')
      expect(servers).toMatchObject([{ hostname: 'web-1', state: 'online' }])
      expect(plane.svc('serve', '--port', '0').err).toMatch(/process \d+ has \/var\/lib\/svc open/)
      const places = ['--state-dir', '/var/lib/svc-agent', '--key-file', '/etc/svc-agent/key']
      const folders = machine.sh(FOLDERS)
      const beside = machine.run([
        'node',
        AGENT,
        'run',
        '--url',
        PLANE,
        '--handler-user',
        'svc-apps',
        ...places,
      ])
      expect(beside.err).toMatch(/process \d+ has \/var\/lib\/svc-agent open; stop that agent/)
      expect(machine.sh(FOLDERS)).toBe(folders)
    },
    40_000,
  )

  onMachine(
    `a killed agent starts again and takes the next job, which a stop lets come to its end${without}`,
    async () => {
      const killed = property('svc-agent', 'MainPID')
      machine.sh(`rm ${BEGUN}; systemctl kill --signal=KILL svc-agent`)
      // An agent that still waits takes a job at once.
      await until(() => property('svc-agent', 'MainPID') !== killed)
      const job = enqueue(2)
      await until(() => machine.run(['test', '-e', BEGUN]).code === 0)
      expect(property('svc-agent', 'MainPID')).not.toBe(killed)
      machine.sh('systemctl stop svc-agent')
      expect(log(job)).toMatch(/^svc-apps\ndone\n\S+ succeeded/)
      expect([property('svc-agent', 'Result'), property('svc-agent', 'NRestarts')]).toEqual(['success', '1'])
    },
    40_000,
  )

  onFirewalled(
    `an agent that may applies the firewall, has sshd read its files, and keeps what is confirmed${unwalled}`,
    async () => {
      machine.sh('systemctl start ssh')
      const sshd = property('ssh', 'MainPID')
      expect(install('--allow', 'firewall')).toMatchObject({ code: 0 })
      expect(log(await set('7000'))).toMatch(
        /sshd reads its files again\n(?:the values.* are set|some values.* not set: sysctl: .*)\n(?:note: .*\n)*revision 1 is confirmed\n/,
      )
      expect(rules()).toContain('tcp dport { 22, 7000 } accept')
      expect([property('ssh', 'MainPID'), machine.sh('sshd -T | grep maxauth')]).toEqual([
        sshd,
        'maxauthtries 3',
      ])
      // The kernel of a container lets its own network be set, and nothing else.
      expect(machine.sh('cat /proc/sys/net/ipv4/conf/all/rp_filter')).toBe('1')
      expect(machine.sh('journalctl -u ssh')).toContain('Received SIGHUP')
      expect(machine.run(['systemctl', 'is-active', 'svc-security-undo.timer']).out).toBe('inactive\n')
    },
    40_000,
  )

  onFirewalled(
    `what was not confirmed is undone by a timer of systemd, when the agent is gone for good${unwalled}`,
    async () => {
      const confirmed = rules()
      // The job comes over a connection that is there; the confirmation needs a new one.
      machine.sh('nft -f -', CUT)
      const job = await set('7001')
      await until(() => rules().includes('7001'))
      machine.sh('systemctl kill --signal=KILL svc-agent; systemctl stop svc-agent')
      expect(machine.sh('systemctl is-active svc-security-undo.timer')).toBe('active')
      const timer = /OnActiveUSec=([\d.]+)s/.exec(property('svc-security-undo.timer', 'TimersMonotonic'))
      expect(Math.round(Number(timer?.[1]) / 10)).toBe(3)
      expect(rules()).toContain('7001')
      // The timer starts the service after its time.
      machine.sh('systemctl start svc-security-undo.service')
      await until(() => rules() === confirmed)
      machine.sh('nft delete table ip cut; systemctl start svc-agent')
      expect(log(job)).toContain('rolled back: the agent ended before it could confirm')
    },
    60_000,
  )

  onFirewalled(
    `a machine that starts while the plane is away has the firewall that was confirmed${unwalled}`,
    async () => {
      const confirmed = rules()
      machine.sh('systemctl disable --quiet svc')
      await machine.reboot()
      await until(() => rules() !== '')
      expect(rules()).toBe(confirmed)
      expect(machine.run(['systemctl', 'is-active', 'svc']).out).toBe('inactive\n')
    },
    40_000,
  )

  onMachine(
    `uninstall --purge leaves nothing of the agent${without}`,
    () => {
      expect(machine.run(['node', AGENT, 'uninstall', '--purge'])).toMatchObject({ code: 0 })
      expect(files().filter((path) => !before.includes(path))).toEqual([])
      expect(machine.sh(`systemctl list-units --all --plain --no-legend 'svc-*'; nft list tables`)).toBe('')
      expect(machine.sh('cat /etc/passwd /etc/group | grep svc- || true')).toBe('')
    },
    40_000,
  )
})
