import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { runSvc } from '../../packages/cli/test/support/svc-process.ts'
import { packedFolder } from '../support/packed.ts'

let packed: string
let instructions: readonly (readonly [name: string, rest: string])[]
beforeAll(async () => {
  packed = await packedFolder()
  const lines = readFileSync(join(packed, 'Containerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
  instructions = lines.split('\n').flatMap((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return name === '' ? [] : [[name, rest] as const]
  })
}, 180_000)

const all = (name: string) => instructions.flatMap(([each, rest]) => (each === name ? [rest] : []))
const last = (name: string) => all(name).at(-1) ?? ''

describe('The Containerfile', () => {
  test('copies tarballs that npm run pack has put beside it, each package of the command once', () => {
    const [sources = []] = all('COPY')
      .filter((rest) => !rest.startsWith('--from='))
      .map((rest) => rest.split(' ').slice(0, -1))
    const copied = sources.map((pattern) => globSync(pattern, { cwd: packed }))
    expect(copied.map((files) => files.length)).toEqual([1, 1, 1, 1, 1])
    expect(copied.flat().map((name) => name.replace(/-\d.*/, ''))).toEqual([
      'package.json',
      'package-lock.json',
      'svc-core',
      'svc-http',
      'svc-cli',
    ])
    // `npm ci` installs exactly the packages that the lock names.
    expect(all('RUN')[0]).toMatch(/^npm ci --omit=dev --ignore-scripts /)
  })

  test('stands on the Node.js of the lock', () => {
    const major = process.versions.node.split('.')[0]
    expect(all('FROM')).not.toHaveLength(0)
    for (const base of all('FROM'))
      expect(base).toMatch(new RegExp(`^docker\\.io/library/node:${major}-\\S*slim`))
  })

  test('runs as a user that is not root, with its data in a volume that is its own', () => {
    expect(last('USER')).toBe('svc')
    expect(last('RUN')).toContain(' --uid 970 ')
    expect(last('RUN')).toContain(`install -d -o svc -g svc -m 0700 ${last('VOLUME')}`)
    expect(last('WORKDIR')).toBe(last('VOLUME'))
    expect(last('ENV')).toContain('NODE_ENV=production')
  })

  test('serves with options that the command has, and asks the port on which it serves', async () => {
    const [command = '', ...words] = JSON.parse(last('CMD')) as string[]
    expect([JSON.parse(last('ENTRYPOINT')), command]).toEqual([['svc'], 'serve'])
    const { out: help } = await runSvc(['serve', '--help'], { cwd: packed })
    const flags = words.filter((word) => word.startsWith('--'))
    expect(flags).toEqual(['--host', '--port', '--data-dir', '--tick'])
    for (const flag of flags) expect(help).toContain(`${flag} <`)
    const port = words[words.indexOf('--port') + 1]
    expect(last('EXPOSE')).toBe(port)
    expect(last('HEALTHCHECK')).toContain(`http://127.0.0.1:${port}/livez`)
    // A folder below the volume: the root of a volume may belong to root.
    expect(words[words.indexOf('--data-dir') + 1]).toMatch(new RegExp(`^${last('VOLUME')}/`))
  })
})

const works = (program: string, args: readonly string[]) =>
  spawnSync(program, args, { timeout: 20_000 }).status === 0
// Tests never leave the machine: the base of the image has to be here already.
const [, base = ''] =
  /^FROM (\S+)/m.exec(readFileSync(join(import.meta.dirname, '../../Containerfile'), 'utf8')) ?? []
const builder = ['podman', 'docker'].find(
  (program) => works(program, ['info']) && works(program, ['image', 'inspect', base]),
)
const builds = builder === undefined ? test.skip : test
const without = builder === undefined ? ` (skipped: neither podman nor docker runs here and has ${base})` : ''

builds(
  `An image is built from it, lives as a container with a read-only root, and stops when told to${without}`,
  async () => {
    const engine = (...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(builder ?? '', args, { encoding: 'utf8' })
      if (status !== 0) throw new Error(`${args[0]} ended with ${status}: ${stderr}`)
      return stdout.trim()
    }
    const format = builder === 'podman' ? ['--format', 'docker'] : []
    const image = `svc-test-${process.pid}`
    engine('build', ...format, '--file', join(packed, 'Containerfile'), '--tag', image, packed)
    const shut = ['--read-only', '--tmpfs', '/tmp', '--publish', '127.0.0.1::8080']
    try {
      engine('run', '--detach', '--name', image, ...shut, image)
      const address = engine('port', image, '8080/tcp').split('\n')[0]
      const answer = async () => (await fetch(`http://${address}/livez`).catch(() => undefined))?.status
      while ((await answer()) !== 200)
        expect(engine('inspect', '--format', '{{.State.Running}}', image)).toBe('true')
      expect(engine('exec', image, 'id', '-u')).toBe('970')
      engine('exec', image, ...(JSON.parse(last('HEALTHCHECK').replace(/^.*? CMD /, '')) as string[]))
      engine('stop', image)
      expect(engine('inspect', '--format', '{{.State.ExitCode}}', image)).toBe('0')
    } finally {
      spawnSync(builder ?? '', ['rm', '--force', '--volumes', image])
      spawnSync(builder ?? '', ['rmi', image])
    }
  },
  600_000,
)
