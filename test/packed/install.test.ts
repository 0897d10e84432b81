import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { runSvc } from '../../packages/cli/test/support/svc-process.ts'
import { packedFolder } from '../support/packed.ts'

const CLI = join(import.meta.dirname, '../../packages/cli')
const KEY = 'svc_made_up_for_this_suite'
const URL = 'https://svc.example'
const shipped = (name: string) => readFileSync(join(CLI, 'systemd', name), 'utf8')

let folder: string
let agentFile: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-install-'))
  agentFile = join(folder, 'svc-agent.mjs')
  cpSync(join(await packedFolder(), 'svc-agent.mjs'), agentFile)
}, 180_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const agent = (args: readonly string[], input = '') =>
  runSvc(args, { cwd: folder, program: [agentFile], input })

describe('svc agent install --root', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(folder, 'root-'))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const install = (...more: readonly string[]) =>
    agent(['install', '--root', root, '--url', URL, ...more], `${KEY}\n`)
  const held = () =>
    globSync('**/*', { cwd: root })
      .filter((path) => statSync(join(root, path)).isFile())
      .sort()
  const text = (path: string) => readFileSync(join(root, path), 'utf8')
  const mode = (path: string) => statSync(join(root, path)).mode & 0o777
  const UNIT = 'etc/systemd/system/svc-agent.service'
  const ADDITION = `${UNIT}.d/handler-user.conf`

  test('writes the shipped unit, the agent, its user, and the key for its owner alone', async () => {
    const { code, out, err } = await install()
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const files = [
      'etc/svc-agent/key',
      UNIT,
      ADDITION,
      'etc/sysusers.d/svc-agent.conf',
      'etc/tmpfiles.d/svc-agent.conf',
      'usr/local/lib/svc/svc-agent.mjs',
    ]
    expect(held()).toEqual(files)
    expect(out.split('\n').sort()).toEqual(['', ...files.map((path) => `wrote /${path}`)].sort())
    expect(text(UNIT)).toBe(shipped('svc-agent.service'))
    expect(text('usr/local/lib/svc/svc-agent.mjs')).toBe(readFileSync(agentFile, 'utf8'))
    expect(text('etc/svc-agent/key')).toBe(`${KEY}\n`)
    expect([mode('etc/svc-agent'), mode('etc/svc-agent/key'), mode(UNIT)]).toEqual([0o700, 0o600, 0o644])
    expect(text('etc/sysusers.d/svc-agent.conf')).toBe(
      'u svc-agent - "svc host agent" /var/lib/svc-agent\nu svc-apps - "handlers of the svc host agent" /var/lib/svc-apps /bin/sh\n',
    )
    expect(held().filter((path) => text(path).includes(KEY))).toEqual(['etc/svc-agent/key'])
    expect(out + err).not.toContain(KEY)
  })

  test('changes nothing the second time, and says so; afterwards only what has become another', async () => {
    await install()
    const before = held().map((path) => statSync(join(root, path)).mtimeMs)
    expect(await install()).toMatchObject({ code: 0, out: 'nothing has changed\n' })
    expect(held().map((path) => statSync(join(root, path)).mtimeMs)).toEqual(before)
    const moved = await agent(['install', '--root', root, '--url', 'https://other.example/plane/'])
    expect(moved).toMatchObject({ code: 0, out: `wrote /${UNIT}\n` })
    expect(text(UNIT)).toContain('\nEnvironment=SERVICE_URL=https://other.example/plane\n')
    expect(text('etc/svc-agent/key')).toBe(`${KEY}\n`)
  })

  test('mends a key file that others could read', async () => {
    await install()
    for (const [path, wrong] of Object.entries({ 'etc/svc-agent/key': 0o644, 'etc/svc-agent': 0o755 })) {
      chmodSync(join(root, path), wrong)
      expect((await install()).out).toBe('wrote /etc/svc-agent/key\n')
    }
    expect([mode('etc/svc-agent'), mode('etc/svc-agent/key')]).toEqual([0o700, 0o600])
  })

  test('gives handlers the agent’s user only when that is named, and does not switch it unasked', async () => {
    const open = await install('--handler-user', 'svc-agent')
    expect(open.err).toContain('--handler-user svc-apps gives them their own')
    expect(held()).not.toContain(ADDITION)
    expect(text('etc/sysusers.d/svc-agent.conf')).not.toContain('svc-apps')
    const again = await install()
    expect(again).toMatchObject({ out: 'nothing has changed\n', err: open.err })
    expect((await install('--dry-run')).out).not.toContain('svc-apps')
    await install('--handler-user', 'svc-apps')
    expect(text(ADDITION)).toBe(shipped('handler-user.conf'))
    const without = await install('--handler-user', 'svc-agent')
    expect(without.out).toContain(`removed /${ADDITION}\n`)
    expect(held()).not.toContain(ADDITION)
  })

  test('gives handlers a user of their own, and keeps that wall when it is repeated without', async () => {
    const walled = await install()
    expect(walled.err).not.toContain('--handler-user')
    expect(text(ADDITION)).toBe(shipped('handler-user.conf'))
    expect(text('etc/tmpfiles.d/svc-agent.conf')).toBe('d /var/lib/svc-apps 0750 svc-apps svc-apps\n')
    expect(text('etc/sysusers.d/svc-agent.conf')).toContain('u svc-apps - ')
    await install(
      '--handler-user',
      'apps:docker',
      '--user',
      'agent',
      '--handlers',
      '/srv/handlers',
      '--node',
      '/opt/node',
    )
    expect(text(ADDITION)).toContain('\nGroup=docker\nEnvironment=SERVICE_HANDLER_USER=apps:docker\n')
    expect(text(UNIT)).toContain('\nUser=agent\n')
    expect(text(UNIT)).toContain('\nExecStart=/opt/node --optimize-for-size ')
    expect(text(UNIT)).toContain(' run --handlers /srv/handlers --state-dir /var/lib/svc-agent ')
    const again = await agent(['install', '--root', root, '--url', URL])
    expect(again.err).not.toContain('--handler-user')
    expect(existsSync(join(root, ADDITION))).toBe(true)
    expect(text('etc/sysusers.d/svc-agent.conf')).toContain('u apps - ')
  })

  test('takes the key of a file; an image may do without, and is told what is missing', async () => {
    const without = await agent(['install', '--root', root, '--url', URL])
    expect(without).toMatchObject({ code: 0, err: expect.stringContaining('/etc/svc-agent/key') })
    expect(held()).not.toContain('etc/svc-agent/key')
    writeFileSync(join(folder, 'key'), `${KEY}\nmore\n`)
    await install('--key-file', 'key')
    expect(text('etc/svc-agent/key')).toBe(`${KEY}\n`)
  })

  test('is undone by uninstall, which leaves folders of the system and what others put there', async () => {
    await install('--handler-user', 'svc-apps')
    writeFileSync(join(root, `${UNIT}.d/own.conf`), '[Service]\n')
    const hardening = 'etc/ssh/sshd_config.d/10-svc.conf'
    mkdirSync(join(root, dirname(hardening)), { recursive: true })
    writeFileSync(join(root, hardening), 'MaxAuthTries 3\n')
    const { code, out, err } = await agent(['uninstall', '--root', root])
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('--purge') })
    expect(out).toContain('removed /etc/svc-agent/key\n')
    expect(held()).toEqual([
      hardening,
      `${UNIT}.d/own.conf`,
      'etc/sysusers.d/svc-agent.conf',
      'etc/tmpfiles.d/svc-agent.conf',
    ])
    expect((await agent(['uninstall', '--root', root])).out).toBe(
      'nothing has changed: the agent is not installed\n',
    )
    await agent(['uninstall', '--root', root, '--purge'])
    expect(held()).toEqual([`${UNIT}.d/own.conf`])
    expect(existsSync(join(root, 'etc/svc-agent'))).toBe(false)
    expect(existsSync(join(root, dirname(hardening)))).toBe(true)
    expect(existsSync(join(root, 'etc/systemd/system'))).toBe(true)
  })
})

describe('svc agent install --dry-run', () => {
  test('prints every file and command, asks for no key and changes nothing', async () => {
    const { code, out, err } = await agent(['install', '--dry-run', '--url', URL, '--node', '/usr/bin/node'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`write /etc/systemd/system/svc-agent.service (0644)\n`)
    const indented = (text: string) => text.trimEnd().replaceAll(/^(?=.)/gm, '  ')
    expect(out).toContain(indented(shipped('svc-agent.service')))
    expect(out).toContain(indented(shipped('handler-user.conf')))
    expect(out).toContain('write /etc/svc-agent/key (0600)\n  (the license key)\n')
    expect(out.match(/^run .*$/gm)).toEqual([
      'run systemd-sysusers /etc/sysusers.d/svc-agent.conf',
      'run systemd-tmpfiles --create /etc/tmpfiles.d/svc-agent.conf',
      'run systemctl daemon-reload',
      'run systemctl enable svc-agent.service',
      'run systemctl start svc-agent.service',
    ])
    expect(existsSync('/etc/systemd/system/svc-agent.service')).toBe(false)
  })
})

describe('svc agent install refuses', () => {
  test.each([
    ['no address', [], 2, 'needs the address'],
    ['an address that is none', ['--url', 'plane'], 2, 'http or https URL'],
    ['an address with a password', ['--url', 'https://a:b@svc.example'], 2, 'no name, password'],
    ['root as its user', ['--url', URL, '--user', 'root'], 2, 'not root'],
    ['root as the user of handlers', ['--url', URL, '--handler-user', 'root'], 2, 'not root'],
    ['a user that would be another line', ['--url', URL, '--user', 'a\nb'], 2, 'is no name'],
    ['a path with a blank', ['--url', URL, '--handlers', '/a b'], 2, 'plain characters'],
    ['a key file that is not there', ['--url', URL, '--root', 'x', '--key-file', 'none'], 2, 'ENOENT'],
  ])('%s', async (_, args, code, words) => {
    const said = await agent(['install', ...args])
    expect(said.err).toContain(words)
    expect(said.code).toBe(code)
  })

  test('a key that is none', async () => {
    const said = await agent(['install', '--root', 'x', '--url', URL], 'two words\n')
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining('blanks or other characters') })
    expect(existsSync(join(folder, 'x'))).toBe(false)
  })
})
