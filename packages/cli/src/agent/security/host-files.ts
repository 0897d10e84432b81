import type { SecuritySettings } from '@svc/core/adapters'

/** A file that is ours on the host; without a text it is not to be there. */
export interface HostFile {
  readonly path: string
  readonly text: string | undefined
}

/** Read before `50-cloud-init.conf`: of each keyword sshd takes the first value. */
export const SSHD_FILE = '/etc/ssh/sshd_config.d/10-svc.conf'
/** Read after the files of packages: of each key the last value counts. */
export const SYSCTL_FILE = '/etc/sysctl.d/60-svc.conf'
/** Read after `20auto-upgrades`. */
export const UPDATES_FILE = '/etc/apt/apt.conf.d/60svc-auto-upgrades'

/**
 * Values that the CIS benchmarks ask of a kernel and no service needs otherwise. A star stands for every
 * interface: sysctl and systemd take it.
 */
export const BASELINE: Readonly<Record<string, number>> = {
  'net.ipv4.conf.all.rp_filter': 1,
  'net.ipv4.conf.default.rp_filter': 1,
  'net.ipv4.conf.all.accept_redirects': 0,
  // An interface that is there keeps its own value, and takes redirects by it.
  'net.ipv4.conf.*.accept_redirects': 0,
  'net.ipv4.conf.default.accept_redirects': 0,
  'net.ipv6.conf.all.accept_redirects': 0,
  'net.ipv6.conf.*.accept_redirects': 0,
  'net.ipv6.conf.default.accept_redirects': 0,
  'net.ipv4.conf.all.accept_source_route': 0,
  'net.ipv4.conf.default.accept_source_route': 0,
  'net.ipv6.conf.all.accept_source_route': 0,
  'net.ipv6.conf.default.accept_source_route': 0,
  'net.ipv4.tcp_syncookies': 1,
  'kernel.kptr_restrict': 1,
  'kernel.dmesg_restrict': 1,
  'fs.protected_symlinks': 1,
  'fs.protected_hardlinks': 1,
}

const HEAD = '# Written by the svc agent; changes are lost.\n'
const written = (lines: readonly string[]): string | undefined =>
  lines.length === 0 ? undefined : `${HEAD}${lines.join('\n')}\n`

/** Returns the files that settings stand for. */
export const hostFiles = ({ ssh, sysctl, auto_updates }: SecuritySettings): readonly HostFile[] => [
  { path: SSHD_FILE, text: written(sshLines(ssh)) },
  {
    path: SYSCTL_FILE,
    text: written(
      sysctl === 'none' ? [] : Object.entries(BASELINE).map(([key, value]) => `${key} = ${value}`),
    ),
  },
  { path: UPDATES_FILE, text: written(auto_updates === 'keep' ? [] : updateLines(auto_updates === 'on')) },
]

/** The settings of apt that are ours. */
export const updateNames = ['Update-Package-Lists', 'Unattended-Upgrade'] as const

const updateLines = (isOn: boolean): string[] =>
  updateNames.map((name) => `APT::Periodic::${name} "${isOn ? 1 : 0}";`)

function sshLines(ssh: SecuritySettings['ssh']): string[] {
  return Object.entries(sshKeywords(ssh)).map(([keyword, value]) => `${keyword} ${value}`)
}

/** The keywords of sshd that settings set. */
export function sshKeywords(ssh: SecuritySettings['ssh']): Readonly<Record<string, string>> {
  const { password_auth, root_login, max_auth_tries, allow_users } = ssh
  return {
    ...(password_auth === 'keep' ? {} : { PasswordAuthentication: password_auth }),
    // Without this PAM goes on asking for the password under another name.
    ...(password_auth === 'no' ? { KbdInteractiveAuthentication: 'no' } : {}),
    ...(root_login === 'keep' ? {} : { PermitRootLogin: root_login }),
    ...(max_auth_tries === undefined ? {} : { MaxAuthTries: String(max_auth_tries) }),
    ...(allow_users === undefined ? {} : { AllowUsers: allow_users.join(' ') }),
  }
}
