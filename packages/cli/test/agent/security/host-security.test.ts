import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals'
import { eventually } from '../agent-bench.ts'
import { ADDRESS, inNamespaces, NetnsRig, type Peer, skipped } from './netns-rig.ts'
import { document, SecuredHost } from './secured-host.ts'

const SSHD_FILE = 'etc/ssh/sshd_config.d/10-svc.conf'
const SYSCTL_FILE = 'etc/sysctl.d/60-svc.conf'
const UPDATES_FILE = 'etc/apt/apt.conf.d/60svc-auto-upgrades'
const KEPT = 'var/lib/svc-agent/security/security.json'

const open = (...ports: string[]) => ({ firewall: { enabled: true, allow: [{ ports, proto: 'tcp' }] } })

let rig: NetnsRig
let client: Peer
let server: Peer
let host: SecuredHost

const SECURITY = 'var/lib/svc-agent/security'
const attempts = () =>
  (existsSync(host.path(SECURITY)) ? readdirSync(host.path(SECURITY)) : []).filter(
    (name) => name !== 'security.json',
  )
const kept = () => JSON.parse(host.read(KEPT) ?? '{}')

beforeAll(async () => {
  if (skipped !== '') return
  rig = NetnsRig.open()
  ;[client, server] = await Promise.all([rig.peer('c'), rig.peer('h')])
  for (const port of [7000, 7001]) await server.listen(port)
})
afterAll(async () => {
  if (skipped === '') await rig[Symbol.asyncDispose]()
})
beforeEach(async () => {
  if (skipped !== '') return
  host = new SecuredHost(rig)
  await host.start()
})
afterEach(async () => {
  if (skipped !== '') return
  await host[Symbol.asyncDispose]()
  // A load that the end of the process has left running may come after a first deletion.
  await eventually(() => {
    rig.run('sh', '-c', 'nft delete table inet svc_fw 2>/dev/null || true')
    return rig.rules() === ''
  })
})

inNamespaces(`A confirmed document is kept, for root alone, and nothing else stays${skipped}`, async () => {
  const { end, said } = await host.apply(
    document(4, {
      ...open('22', '7000'),
      sysctl: 'baseline',
      auto_updates: 'on',
      ssh: { max_auth_tries: 3 },
    }),
  )
  expect([end, said]).toEqual([
    undefined,
    [
      'the firewall is up',
      'wrote /etc/ssh/sshd_config.d/10-svc.conf',
      'wrote /etc/sysctl.d/60-svc.conf',
      'wrote /etc/apt/apt.conf.d/60svc-auto-upgrades',
      'sshd reads its files again',
      'the values of the kernel count from the next start',
      'revision 4 is confirmed',
    ],
  ])
  expect(await client.reaches(ADDRESS.v4, 7000)).toBe(true)
  expect(await client.reaches(ADDRESS.v4, 7001)).toBe('dropped')
  expect(host.read(SSHD_FILE)).toBe('# Written by the svc agent; changes are lost.\nMaxAuthTries 3\n')
  expect(host.read(SYSCTL_FILE)).toContain('\nnet.ipv4.conf.all.rp_filter = 1\n')
  expect(host.read(UPDATES_FILE)).toContain('\nAPT::Periodic::Unattended-Upgrade "1";\n')
  expect([SSHD_FILE, SYSCTL_FILE, KEPT].map((name) => host.modeOf(name))).toEqual(['600', '644', '600'])
  expect(host.modeOf('var/lib/svc-agent/security')).toBe('700')
  expect([kept().revision, attempts()]).toEqual([4, []])
  // Files that nobody asks for any more go.
  expect((await host.apply(document(5, open('22')))).end).toBeUndefined()
  expect([SSHD_FILE, SYSCTL_FILE, UPDATES_FILE].map((name) => host.read(name))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect((await host.apply(document(6, {}))).end).toBeUndefined()
  expect([rig.rules(), kept().revision]).toEqual(['', 6])
})

inNamespaces(
  `A document that nobody confirms is undone in time, with its files${skipped}`,
  async () => {
    await host.apply(document(1, { ...open('22', '7000'), auto_updates: 'off' }))
    const [rules, file] = [rig.rules(), host.read(UPDATES_FILE)]
    host.reach(false)
    const asked = { ...open('22', '7001'), auto_updates: 'on', ssh: { root_login: 'no' } }
    const { end } = await host.apply(document(2, asked, { rollbackSeconds: 7 }))
    expect(end).toBe('rolled back: the control plane was not reached: nobody answers')
    expect([rig.rules(), host.read(UPDATES_FILE), host.read(SSHD_FILE)]).toEqual([rules, file, undefined])
    expect([kept().revision, attempts()]).toEqual([1, []])
    expect(await client.reaches(ADDRESS.v4, 7000)).toBe(true)
  },
  20_000,
)

inNamespaces(
  `A process that is killed before the confirmation is undone by nobody but a timer${skipped}`,
  async () => {
    await host.apply(document(1, open('22', '7000')))
    const rules = rig.rules()
    host.reach(false)
    void host.apply(document(2, open('22', '7001'), { rollbackSeconds: 6 }))
    await eventually(() => rig.rules().includes('7001'))
    await host.kill()
    expect(rig.rules()).not.toBe(rules)
    await eventually(() => attempts().some((name) => name.endsWith('.undone')))
    expect(rig.rules()).toBe(rules)
    await host.start()
    expect([await host.ask('recover'), kept().revision]).toEqual([[2], 1])
  },
  20_000,
)

inNamespaces(
  `A process that is killed and started again undoes at once, and the timer finds nothing${skipped}`,
  async () => {
    host.reach(false)
    void host.apply(document(1, { ...open('22'), sysctl: 'baseline' }, { rollbackSeconds: 8 }))
    await eventually(() => host.read(SYSCTL_FILE) !== undefined)
    await host.kill()
    await host.start()
    expect(await host.ask('recover')).toEqual([1])
    expect([rig.rules(), host.read(SYSCTL_FILE), host.read(KEPT)]).toEqual(['', undefined, undefined])
    // A later attempt is none of the business of the earlier timer.
    for (const stage of attempts())
      execFileSync('rm', ['-r', host.path(`var/lib/svc-agent/security/${stage}`)])
    host.reach(true)
    expect((await host.apply(document(2, open('22', '7000')))).end).toBeUndefined()
    expect(rig.rules()).toContain('7000')
  },
  20_000,
)

inNamespaces(`An attempt that was confirmed and not yet written down is kept${skipped}`, async () => {
  host.reach(false)
  void host.apply(document(1, open('22', '4242'), { rollbackSeconds: 30 }))
  // A port of its own: the rules of the test before may still hold.
  await eventually(() => rig.rules().includes('4242'))
  await host.kill()
  const folder = host.path('var/lib/svc-agent/security')
  const [name = ''] = attempts().filter((entry) => entry.endsWith('.pending'))
  execFileSync('mv', [`${folder}/${name}`, `${folder}/${name.replace('.pending', '.kept')}`])
  await host.start()
  expect([await host.ask('recover'), kept().revision, attempts()]).toEqual([[], 1, []])
  expect(rig.rules()).toContain('4242')
})

inNamespaces(`A job that is ended early is undone${skipped}`, async () => {
  host.reach(false)
  const applied = host.apply(document(1, open('22')))
  await eventually(() => rig.rules() !== '')
  await host.ask('stop')
  expect((await applied).end).toBe('rolled back: the job was ended')
  expect([rig.rules(), attempts()]).toEqual(['', []])
})

inNamespaces(
  `The kept document comes back after a start, and when somebody takes its rules or files${skipped}`,
  async () => {
    await host.apply(document(1, { ...open('22', '7000'), sysctl: 'baseline' }))
    const rules = rig.rules()
    for (const what of ['restore', 'tend']) {
      rig.run('nft', 'flush', 'ruleset')
      host.write(SYSCTL_FILE, 'kernel.panic = 1\n')
      await host.kill()
      await host.start()
      expect(await host.ask(what)).toBeUndefined()
      expect(rig.rules()).toBe(rules)
      expect(host.read(SYSCTL_FILE)).toContain('rp_filter')
    }
  },
)

inNamespaces(`The rule for connections from before goes when its hour is over${skipped}`, async () => {
  await host.apply(document(1, open('22')))
  await host.ask('tend')
  expect(rig.rules()).toContain('connections from before')
  host.write(KEPT, JSON.stringify({ ...kept(), pickupUntil: 1 }))
  await host.ask('tend')
  expect(rig.rules()).not.toContain('connections from before')
  expect(rig.rules()).toContain('tcp dport 22 accept')
})

inNamespaces.each([
  [
    'settings of another digest',
    () => ({ ...document(1, open('22')), sha256: 'other' }),
    'reads the settings in another way',
  ],
  [
    'settings that cannot be read',
    () => ({ ...document(1, {}), settings: { sysctl: 'x' } }),
    'the settings cannot be read: sysctl',
  ],
  [
    'a way in that sshd does not listen on',
    () => document(1, open('22', '443')),
    'no allow rule covers tcp/2222',
  ],
  [
    'no way in for a key',
    () => document(1, { ssh: { password_auth: 'no' } }),
    'nobody who may sign in by ssh has a key',
  ],
])(`%s are refused, and nothing is changed${skipped}`, async (_, asked, why) => {
  host.write('etc/passwd', `ann:x:65534:65534::${host.path('home/ann')}:/bin/sh\n`)
  host.sshdConfig([`Include ${host.path('etc/ssh/sshd_config.d')}/*.conf`, 'Port 2222'])
  const { end } = await host.apply(asked())
  expect(end).toMatch(/^refused: /)
  expect(end).toContain(why)
  expect([rig.rules(), host.read(SSHD_FILE), attempts()]).toEqual(['', undefined, []])
})

inNamespaces(`Passwords may go when somebody who may sign in has a key, or by force${skipped}`, async () => {
  const noPasswords = (revision: number, more: object = {}, force = false) =>
    document(revision, { ssh: { password_auth: 'no', ...more } }, { force })
  const login = (name: string, shell = '/bin/sh') => `${name}:x:65534:65534::/home/${name}:${shell}\n`
  host.write('etc/passwd', login('ann') + login('bob', '/usr/sbin/nologin') + login('eve'))
  const keys = (name: string, text: string) => {
    host.write(`home/${name}/.ssh/authorized_keys`, text)
    // sshd reads the file as its owner, and so does the agent.
    execFileSync('chown', ['-R', '65534:65534', host.path(`home/${name}`)])
    execFileSync('chmod', ['700', host.path(`home/${name}/.ssh`)])
  }
  keys('bob', 'ssh-ed25519 AAAA of-somebody-without-a-shell\n')
  keys('ann', '# no key\n\n')
  expect((await host.apply(noPasswords(1))).end).toContain('nobody who may sign in')
  keys('ann', '# a key\nssh-ed25519 AAAA ann\n')
  expect((await host.apply(noPasswords(1, { allow_users: ['eve'] }))).end).toContain('nobody who may sign in')
  expect((await host.apply(noPasswords(1, { allow_users: ['eve'] }, true))).end).toBeUndefined()
  expect((await host.apply(noPasswords(2))).end).toBeUndefined()
  expect(host.read(SSHD_FILE)).toContain('PasswordAuthentication no\nKbdInteractiveAuthentication no\n')
})

inNamespaces(`Who may sign in has to be there, and able to${skipped}`, async () => {
  const asked = (ssh: object, force = false) => document(1, { ssh }, { force })
  const login = (name: string, uid: number, shell = '/bin/sh') =>
    `${name}:x:${uid}:65534::/home/${name}:${shell}\n`
  host.write(
    'etc/passwd',
    login('root', 0) + login('ann', 65534) + login('bob', 65534) + login('sam', 65534, '/bin/false'),
  )
  host.write(
    'etc/shadow',
    'root:$y$j9T$x:1::::::\nann:!:1::::::\nbob:$y$j9T$x:1::::::\nsam:$y$j9T$x:1::::::\n',
  )
  const refused = async (ssh: object) =>
    expect((await host.apply(asked(ssh))).end ?? '').toMatch(/^refused: no/)
  for (const allow_users of [['ghost'], ['ann'], ['sam'], ['ghost', 'ann', 'sam']])
    await refused({ allow_users })
  await refused({ allow_users: ['root'] })
  await refused({ allow_users: ['bob'], password_auth: 'no' })
  for (const ssh of [
    { allow_users: ['ghost', 'bob'] },
    { allow_users: ['root'], root_login: 'yes' },
    { root_login: 'no' },
  ])
    expect((await host.apply(asked(ssh))).end).toBeUndefined()
  host.write('etc/shadow', 'root:$y$j9T$x:1::::::\nann:!:1::::::\nbob:!:1::::::\n')
  await refused({ root_login: 'no', max_auth_tries: 3 })
  expect((await host.apply(asked({ allow_users: ['ghost'] }, true))).end).toBeUndefined()
})

inNamespaces(
  `A running sshd takes the new file by a reload, and its sessions go on${skipped}`,
  async () => {
    host.write('etc/passwd', `ann:x:65534:65534::/home/ann:/bin/sh\n`)
    rig.start('/usr/sbin/sshd', ['-D', '-f', host.path('etc/ssh/sshd_config')])
    await eventually(() => host.read('run/sshd.pid') !== undefined)
    const methods = () => {
      const options = [
        'BatchMode=yes',
        'PreferredAuthentications=none',
        'StrictHostKeyChecking=no',
        'UserKnownHostsFile=/dev/null',
      ]
      const ssh = ['ssh', ...options.flatMap((each) => ['-o', each]), 'nobody@10.9.0.1', '2>&1; true']
      return execFileSync('ip', ['netns', 'exec', rig.namespace('c'), 'sh', '-c', ssh.join(' ')], {
        encoding: 'utf8',
      })
    }
    expect(methods()).toMatch(/Permission denied \(.*password.*\)/)
    const session = await client.connect(ADDRESS.v4, 22)
    const pid = host.read('run/sshd.pid')
    expect(
      (await host.apply(document(1, { ssh: { password_auth: 'no' } }, { force: true }))).end,
    ).toBeUndefined()
    await eventually(() => !methods().includes('password'))
    // sshd starts itself anew, and writes its file once more.
    await eventually(() => host.read('run/sshd.pid') === pid)
    expect(session).toEqual(expect.any(Number))
  },
  20_000,
)

inNamespaces(
  `A file that sshd does not read is undone, and a configuration that it refuses stops before it${skipped}`,
  async () => {
    host.write('etc/passwd', 'ann:x:65534:65534::/home/ann:/bin/sh\n')
    host.sshdConfig([])
    const { end } = await host.apply(document(1, { ...open('22'), ssh: { root_login: 'no' } }))
    expect(end).toMatch(/^rolled back: sshd does not take PermitRootLogin from/)
    expect([rig.rules(), host.read(SSHD_FILE)]).toEqual(['', undefined])
    host.sshdConfig(['NoSuchKeyword yes'])
    expect((await host.apply(document(1, { ...open('22'), ssh: { root_login: 'no' } }))).end).toMatch(
      /^refused: sshd -t: /,
    )
    expect([rig.rules(), host.read(SSHD_FILE), attempts()]).toEqual(['', undefined, []])
  },
)
