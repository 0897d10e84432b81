import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import {
  type ContainerRun,
  containerFiles,
  containerTaskText,
  containerUnitText,
} from '../../src/host-apps/system/container-text.ts'
import { listensInside } from '../../src/host-apps/system/listening.ts'
import { isUnitName } from '../../src/host-apps/system/unit-text.ts'
import { isKeeperUnit, keeperText, keeperUnit } from '../../src/host-apps/system/user-unit.ts'

const USER = 'sa-abcdefghij'
const STOP = { signal: 'SIGTERM', grace_s: 30 } as const
const IMAGE = `sha256:${'0'.repeat(64)}`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-containers-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const filesOf = (more: Partial<ContainerRun>) =>
  containerFiles({
    folder,
    user: USER,
    name: 'web.1.1',
    isKept: true,
    container: { image: IMAGE, port: 3000 },
    command: undefined,
    capabilities: undefined,
    env: {},
    stop: STOP,
    mounts: [],
    published: [[20_001, 3000]],
    hosts: {},
    ...more,
  })

/** Runs the script with a program in the place of podman that prints what it was given. */
function called(more: Partial<ContainerRun>): { args: string[]; env: Record<string, string>; file: string } {
  const podman = `#!${process.execPath}
console.log(JSON.stringify({ args: process.argv.slice(2), env: process.env }))`
  writeFileSync(join(folder, 'podman'), podman, { mode: 0o755 })
  const files = filesOf(more)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const env = { PATH: `${folder}:${process.env.PATH}` }
  const said = execFileSync('/bin/sh', [join(folder, 'run')], { encoding: 'utf8', env })
  return { ...JSON.parse(said), file: readFileSync(join(folder, 'variables'), 'utf8') }
}

test('A container has no capability and no way to the host but its port', () => {
  const { args } = called({
    capabilities: ['CHOWN'],
    published: [[20_002, 3000]],
    mounts: ['/srv/of-the-app:/data:U'],
  })
  expect(args).toEqual(
    expect.arrayContaining([
      '--cap-drop=all',
      '--cap-add=CHOWN',
      '--security-opt=no-new-privileges',
      '--network=slirp4netns',
      '--publish=127.0.0.1:20002:3000',
      '--pull=never',
      '--volume=/srv/of-the-app:/data:U',
      '--cgroups=split',
    ]),
  )
  expect(args.at(-1)).toBe(IMAGE)
  expect(args.join(' ')).not.toMatch(/privileged=|--privileged|host/)
})

test('A command is one word for the shell of the image, whatever it holds', () => {
  const command = `node -e 'x' "$A" \`b\`; exit 1`
  const { args } = called({ command, published: [] })
  expect(args.slice(-3)).toEqual([IMAGE, '-c', command])
  expect(args).toContain('--entrypoint=/bin/sh')
  expect(args.some((word) => word.startsWith('--publish'))).toBe(false)
})

test('Variables come by two ways, whole, and none stands in an argument', () => {
  const plain = { QUOTED: `it's "$HOME" \\ #`, EMPTY: '', PATH: '/opt/bin' }
  const odd = { LINES: 'a\nB=c\n', RETURN: 'x\r', LONG: 'y'.repeat(64_000) }
  const { args, env, file } = called({ env: { ...plain, ...odd } })
  expect(file).toBe(`QUOTED=it's "$HOME" \\ #\nEMPTY=\nPATH=/opt/bin\n`)
  expect(env).toMatchObject(odd)
  expect(env.PATH).not.toBe('/opt/bin')
  expect(args.filter((word) => word.startsWith('--env='))).toEqual([
    '--env=LINES',
    '--env=RETURN',
    '--env=LONG',
  ])
  for (const value of ["it's", 'B=c', 'yyyy']) expect(args.join('\n')).not.toContain(value)
})

test.each([
  'PATH',
  'HOME',
  'XDG_RUNTIME_DIR',
  'CONTAINERS_CONF',
  'REGISTRY_AUTH_FILE',
  'GODEBUG',
  'LD_PRELOAD',
])('A variable %s of several lines would change podman itself, and is refused', (name) => {
  expect(() => filesOf({ env: { [name]: 'a\nb' } })).toThrow(`the variable ${name} of a container`)
  expect(filesOf({ env: { [name]: 'a' } }).variables).toBe(`${name}=a\n`)
})

test('The signal of an image is its own, unless the definition has another', () => {
  expect(filesOf({}).run).not.toContain('--stop-signal')
  expect(filesOf({ stop: { signal: 'SIGQUIT', grace_s: 5 } }).run).toContain('--stop-signal=SIGQUIT')
})

test('Units of containers wait for the keeper of their user, and end with everything', () => {
  const confined = {
    app: 'shop',
    user: USER,
    folder: '/srv',
    stop: STOP,
    lines: [],
    memory: '200M',
    cpus: 0.5,
  }
  const unit = containerUnitText({ ...confined, process: 'web', number: 2, release: 7 })
  const task = containerTaskText({ ...confined, name: 'cron-clean', timeoutS: 60 })
  for (const text of [unit, task]) {
    expect(text).toContain(`Wants=${keeperUnit(USER)}\n`)
    expect(text).toMatch(/^After=.*svc-podman@sa-abcdefghij\.service$/m)
    expect(text).toContain(`User=${USER}\n`)
    expect(text).toContain('MemoryMax=200M\n')
    expect(text).toContain('CPUQuota=50%\n')
    expect(text).toContain('Delegate=yes\n')
    expect(text).not.toContain('KillMode=none')
  }
  expect(unit).toContain('stop --ignore --time 30 web.2.7 ')
  expect(task).toContain('RuntimeMaxSec=60\n')
  expect(isKeeperUnit(keeperUnit(USER))).toBe(true)
  expect(isUnitName(keeperUnit(USER))).toBe(false)
  expect(keeperText(USER)).toContain('Restart=always\n')
})

test('A process that has no child listens nowhere inside', () => {
  expect(listensInside(process.pid, 1)).toBe(false)
  expect(listensInside(2 ** 22 + 1, 80)).toBe(false)
})
