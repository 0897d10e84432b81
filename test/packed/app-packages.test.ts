import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { BootedMachine } from './booted-machine.ts'
import { endedWell, failedJob, HostedMachine } from './hosted-machine.ts'

const booted = await HostedMachine.boot(['nft', 'git', 'dpkg-deb', 'apt-get'])
const onHost = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''

let host: HostedMachine
let machine: BootedMachine

/** Makes packages, and has apt of the machine know them and no others. */
const REPOSITORY = `
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*
mkdir -p /srv/packages; cd /srv/packages
for name in svc-greet svc-greet-more svc-clash; do
  mkdir -p "$name/DEBIAN" "$name/usr/bin"
  printf '#!/bin/sh\\necho hello of %s\\n' "$name" > "$name/usr/bin/$name"; chmod +x "$name/usr/bin/$name"
  printf 'Package: %s\\nVersion: 1\\nArchitecture: all\\nMaintainer: a <a@example.com>\\nDescription: x\\n' "$name" > "$name/DEBIAN/control"
  [ "$name" != svc-clash ] || echo 'Conflicts: svc-greet' >> "$name/DEBIAN/control"
  dpkg-deb --build --root-owner-group "$name" >/dev/null
  { dpkg-deb --field "$name.deb"; echo "Filename: ./$name.deb"; echo "Size: $(stat -c %s "$name.deb")"
    echo "SHA256: $(sha256sum "$name.deb" | cut -d ' ' -f 1)"; echo; } >> Packages
done
echo 'deb [trusted=yes] file:/srv/packages ./' > /etc/apt/sources.list.d/own.list
`

beforeAll(async () => {
  if (typeof booted === 'string') return
  machine = booted
  host = await HostedMachine.install(machine)
  machine.sh(REPOSITORY)
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

/** Deploys an application that needs packages. */
const deployed = (...packages: readonly string[]) =>
  host.deploy(
    'greeter',
    host.commit('greeter', {
      'svc.json': JSON.stringify({
        version: 1,
        packages,
        build: { command: 'echo "this is the build"' },
        processes: { web: { command: 'node server.js' } },
      }),
      'server.js': `
        const { execFileSync } = require('node:child_process')
        require('node:http').createServer((_, response) => response.end(execFileSync('svc-greet'))).listen(process.env.PORT)`,
    }),
  )
const isThere = (name: string) => machine.run(['dpkg', '--status', name]).code === 0

describe('Debian packages that an application needs', () => {
  onHost(
    `a host that may install none says the command before it builds anything${without}`,
    () => {
      const log = failedJob(deployed('svc-greet', 'bash'))
      expect(log).toContain('this host lacks packages: apt-get install --no-install-recommends svc-greet\n')
      expect(log).not.toContain('this is the build')
      expect(isThere('svc-greet')).toBe(false)
    },
    60_000,
  )

  onHost(
    `a host that may installs exactly those, and no name takes another one away${without}`,
    () => {
      const install = ['install', '--url', 'http://127.0.0.1:8080', '--apps', '--install']
      expect(machine.run(['node', '/srv/svc-agent.mjs', ...install])).toMatchObject({ code: 0 })
      expect(failedJob(deployed('svc-gree.'))).toContain('apt of this host knows no package svc-gree.')
      expect(failedJob(deployed('bash-'))).toContain('packages.0: expected the name of a Debian package')
      expect(['svc-greet', 'svc-greet-more'].map(isThere)).toEqual([false, false])
      const log = endedWell(deployed('svc-greet', 'bash'))
      expect(log).toContain('installing svc-greet\n')
      expect(host.ask('greeter')).toBe('hello of svc-greet')
      expect(isThere('svc-greet-more')).toBe(false)
      expect(failedJob(deployed('svc-clash'))).toContain('apt-get ended with exit code 100')
      expect(['svc-greet', 'svc-clash'].map(isThere)).toEqual([true, false])
      expect(host.ask('greeter')).toBe('hello of svc-greet')
      expect(endedWell(deployed('svc-greet'))).not.toContain('installing')
    },
    120_000,
  )
})
