// The configuration for OpenSSH, as OpenSSH itself reads it.
import { execFile } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { buildHeartbeat } from '@svc/testing'
import { CliBench } from '../support/cli-bench.ts'

const run = promisify(execFile)
const withSsh = existsSync('/usr/bin/ssh') ? test : test.skip

let bench: CliBench
let home: string
beforeAll(async () => {
  bench = await CliBench.open()
  const hosts = { a: 'acme-1', b: 'github.com', c: 'localhost', d: 'twin', e: 'Twin', f: '-oProxyCommand=id' }
  for (const [fingerprint, hostname] of Object.entries(hosts)) {
    const beat = buildHeartbeat({ licenseId: bench.license.id, fingerprint, hostname })
    await bench.plane.agents.heartbeat({ ...beat, jobs: [] })
  }
  await bench.run('fleet', 'label', 'agt_c', 'bastion')
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-ssh-config-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const config = async (...more: readonly string[]) => {
  const { io, ended } = bench.start(['ssh', 'config', ...more], { home })
  await ended
  expect([io.err.text.replace(/^.*names that are not unique.*\n/, ''), io.exitCode]).toEqual(['', 0])
  return io.out.text
}
const own = () => join(home, '.ssh/config')
const included = () => join(home, '.ssh/svc_config')

/** The person's configuration, where OpenSSH looks for the included file in this test's home. */
function readable(): string {
  const text = readFileSync(own(), 'utf8').replace('Include svc_config', `Include ${included()}`)
  writeFileSync(join(home, 'readable'), text)
  return join(home, 'readable')
}
const seen = async (host: string) => {
  const { stdout } = await run('ssh', ['-G', '-F', readable(), host])
  return stdout.split('\n').filter((line) => /^(proxy(command|jump)|hostkeyalias|hostname) /.test(line))
}

test('names that hosts send stand below our suffix; ids and labels of operators as they are', async () => {
  const text = await config()
  const names = [...text.matchAll(/^Host (.*)$/gm)].map(([, line]) => line)
  expect(names.sort()).toEqual([
    'acme-1.svc agt_a',
    'agt_d',
    'agt_e',
    'agt_f',
    'github.com.svc agt_b',
    'localhost.svc bastion agt_c',
  ])
  expect(text).toContain('HostKeyAlias agt_b')
})

describe('with --write', () => {
  withSsh('OpenSSH goes our way for our names, and its own for names of the outside', async () => {
    mkdirSync(join(home, '.ssh'))
    writeFileSync(own(), 'Host *\n  ProxyJump bastion.example\n  HostKeyAlias everywhere\n')
    await config('--write')
    const ours = ['hostname acme-1.svc', 'hostkeyalias agt_a', 'proxycommand svc ssh --stdio agt_a']
    expect((await seen('acme-1.svc')).sort()).toEqual(ours.sort())
    expect(await seen('bastion')).toContain('hostkeyalias agt_c')
    for (const outside of ['github.com', 'localhost', 'acme-1'])
      expect(await seen(outside)).toEqual(
        expect.arrayContaining([
          `hostname ${outside}`,
          'hostkeyalias everywhere',
          'proxyjump bastion.example',
        ]),
      )
  })

  test('a repeat changes nothing, and what the person wrote stays', async () => {
    const theirs = 'Host *\r\n  # \xff\n'
    mkdirSync(join(home, '.ssh'))
    writeFileSync(join(home, 'dotfiles'), theirs, 'latin1')
    symlinkSync(join(home, 'dotfiles'), own())
    expect(await config('--write')).toContain('~/.ssh/svc_config')
    const first = readFileSync(own(), 'latin1')
    expect(first).toBe(`Include svc_config\n${theirs}`)
    const [text] = [readFileSync(included(), 'utf8'), await config('--write')]
    expect([readFileSync(own(), 'latin1'), readFileSync(included(), 'utf8')]).toEqual([first, text])
    expect(lstatSync(own()).isSymbolicLink()).toBe(true)
    expect(readdirSync(join(home, '.ssh')).sort()).toEqual(['config', 'svc_config'])
  })

  test('both files are made, for their owner alone', async () => {
    await config('--write')
    expect(readFileSync(own(), 'utf8')).toBe('Include svc_config\n')
    const modes = [join(home, '.ssh'), own(), included()].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600, 0o600])
  })
})

withSsh('an address and a folder come to svc as they were given, with every kind of character', async () => {
  const folder = join(home, "50%off %h it's; $(touch x)")
  await config('--write', '--data-dir', folder)
  writeFileSync(join(home, 'svc'), `#!/bin/sh\nprintf '%s\\n' "$@" > '${join(home, 'words')}'\n`, {
    mode: 0o755,
  })
  const quiet = ['-o', 'BatchMode=yes', '-o', 'UserKnownHostsFile=/dev/null', '-F', readable()]
  const env = { PATH: `${home}:${process.env.PATH}`, HOME: home }
  await expect(run('ssh', [...quiet, 'acme-1.svc', 'true'], { env, cwd: home })).rejects.toMatchObject({
    code: 255,
  })
  expect(readFileSync(join(home, 'words'), 'utf8').trimEnd().split('\n')).toEqual([
    ...['ssh', '--stdio', '--data-dir', folder, 'agt_a'],
  ])
  expect(readdirSync(home)).not.toContain('x')
})

test('a folder whose name breaks lines is refused', async () => {
  const { io, ended } = bench.start(['ssh', 'config', '--data-dir', '/srv/a\nProxyCommand id'], { home })
  await ended
  expect(io.exitCode).toBe(2)
  expect(io.err.text).toContain('control character')
})
