import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { readSecuritySettings } from '@svc/core/adapters'
import { exceptions } from '../../../src/agent/security/exceptions.ts'
import { systemProgram } from '../../../src/agent/security/host-command.ts'
import { hostFiles } from '../../../src/agent/security/host-files.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-exceptions-'))
  mkdirSync(join(root, 'own'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}
/** Puts the files of settings into their places, and looks for overrides of them. */
async function notes(given: object): Promise<string[]> {
  const settings = readSecuritySettings(given)
  for (const { path, text } of hostFiles(settings)) if (text !== undefined) write(path, text)
  return exceptions({ root, folder: join(root, 'own') }, settings)
}

test('Match blocks that make an exception are named, in files of files too; others are not', async () => {
  write(
    'etc/ssh/sshd_config',
    `Include /etc/ssh/sshd_config.d/*.conf
X11Forwarding yes
PasswordAuthentication yes
# Match User ghost
Match User deploy,ann
  passwordauthentication yes
  X11Forwarding no
match Address 10.0.0.0/8
  PermitRootLogin=no
  Include more.conf
Match all
  PasswordAuthentication yes
`,
  )
  write('etc/ssh/sshd_config.d/20-host.conf', 'Match Group dev\n MaxAuthTries 9\n')
  write('etc/ssh/more.conf', 'PasswordAuthentication yes\nInclude more.conf\n')
  const settings = { ssh: { password_auth: 'no', root_login: 'no', max_auth_tries: 3 } }
  const told = [...new Set(await notes(settings))]
  expect(told).toEqual([
    'note: /etc/ssh/sshd_config.d/20-host.conf makes an exception: Match Group dev: MaxAuthTries 9',
    'note: /etc/ssh/sshd_config makes an exception: Match User deploy,ann: passwordauthentication yes',
    'note: /etc/ssh/more.conf makes an exception: Match Address 10.0.0.0/8: PasswordAuthentication yes',
  ])
  expect(await notes({})).toEqual([])
})

test('values of files that count after ours are named: the last one of each', async () => {
  write(
    'etc/sysctl.conf',
    '#net.ipv4.tcp_syncookies = 0\nnet.ipv4.conf.all.rp_filter=2\nkernel/kptr_restrict = 0\n',
  )
  write('etc/sysctl.d/10-network.conf', 'kernel.dmesg_restrict = 0\n')
  symlinkSync('../sysctl.conf', join(root, 'etc/sysctl.d/99-sysctl.conf'))
  write(
    'usr/lib/sysctl.d/70-x.conf',
    'net/ipv6/conf/eth0.5/accept_redirects = 1\nfs.protected_symlinks = 0\n',
  )
  write('usr/lib/sysctl.d/80-x.conf', 'fs.protected_symlinks = 1\nnet.ipv4.ip_forward = 1\n')
  const after = 'and counts after /etc/sysctl.d/60-svc.conf at the next start'
  expect(await notes({ sysctl: 'baseline' })).toEqual([
    `note: /usr/lib/sysctl.d/70-x.conf sets net.ipv6.conf.eth0.5.accept_redirects = 1, ${after}`,
    `note: /etc/sysctl.conf sets net.ipv4.conf.all.rp_filter = 2, ${after}`,
    `note: /etc/sysctl.conf sets kernel.kptr_restrict = 0, ${after}`,
  ])
  expect(await notes({})).toEqual([])
})

test('what apt takes from a later file is named', async () => {
  if ((await systemProgram('apt-config')) === undefined) return
  expect(await notes({ auto_updates: 'on' })).toEqual([])
  write('etc/apt/apt.conf', 'APT::Periodic::Unattended-Upgrade "0";\n')
  expect(await notes({ auto_updates: 'on' })).toEqual([
    'note: apt takes APT::Periodic::Unattended-Upgrade "0", not the value of /etc/apt/apt.conf.d/60svc-auto-upgrades: see apt-config dump',
  ])
  expect(await notes({ auto_updates: 'off' })).toEqual([])
})
