import type { OperatorServer } from '@svc/core'
import { Problem, shellWord } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { INCLUDED, writeConfig } from './own-config-file.ts'

/** Flags of `svc ssh config`. */
export interface SshConfigOptions {
  readonly license?: string
  readonly write?: boolean
}

// A configuration of OpenSSH runs programs, and its lines have no way to quote a name: nothing else gets in.
const SAFE = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,252}$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/
/**
 * The suffix of names that hosts send. Without it a host that calls itself `github.com` would get its
 * operators' data for the real one.
 */
const SUFFIX = '.svc'

/** One host of the configuration. */
interface Entry {
  readonly names: readonly string[]
  readonly id: string
}

/** The names of a host: its id, its label, which is the operators' own, and its hostname below our suffix. */
const namesOf = ({ id, hostname, label }: OperatorServer): readonly string[] => [
  ...new Set([`${hostname}${SUFFIX}`, label, id].filter((name) => SAFE.test(name))),
]

function entriesOf(servers: readonly OperatorServer[], wanted: readonly OperatorServer[]): readonly Entry[] {
  const uses = new Map<string, number>()
  // OpenSSH makes names small before it looks for them.
  for (const name of servers.flatMap(namesOf).map((each) => each.toLowerCase()))
    uses.set(name, (uses.get(name) ?? 0) + 1)
  return wanted
    .filter(({ id }) => SAFE.test(id))
    .map((server) => ({
      id: server.id,
      names: namesOf(server).filter((name) => uses.get(name.toLowerCase()) === 1),
    }))
    .filter(({ names }) => names.length > 0)
}

/** Returns the command that reaches a host: a line for the shell, where `%` is OpenSSH's own. */
function proxyCommand(id: string, { url, dataDir }: { url?: string; dataDir?: string }): string {
  const where = [...(url ? ['--url', url] : []), ...(dataDir ? ['--data-dir', dataDir] : [])]
  if (where.some((word) => CONTROL.test(word)))
    throw new Problem('invalid-input', {
      detail:
        'an address or a folder with a line end or another control character cannot be in a configuration',
    })
  return ['svc', 'ssh', '--stdio', ...where.map(shellWord), id].join(' ').replaceAll('%', '%%')
}

/** Prints a configuration of OpenSSH that lets `ssh`, `scp` and others reach hosts through svc. */
export const printConfig: Handler<SshConfigOptions> = async (run) => {
  const { license, write, url, dataDir } = run.options
  const { servers } = await run.operate<{ servers: readonly OperatorServer[] }>(
    'fleet.servers',
    given({ license }),
  )
  const wanted = servers.filter(
    ({ id, hostname, label }) =>
      run.args.length === 0 || run.args.some((name) => [id, hostname, label].includes(name)),
  )
  if (run.args.length > 0 && wanted.length === 0)
    throw new Problem('not-found', { detail: 'no host is called that: svc fleet servers shows them' })
  const entries = entriesOf(servers, wanted)
  const hosts = entries.map(({ names, id }) => ({
    names,
    proxy_command: proxyCommand(id, given({ url, dataDir })),
    host_key_alias: id,
  }))
  const text = hosts
    .map(
      (host) =>
        `Host ${host.names.join(' ')}\n  ProxyCommand ${host.proxy_command}\n  HostKeyAlias ${host.host_key_alias}\n`,
    )
    .join('\n')
  if (write) await writeConfig(run.io.home, text)
  run.print({ hosts }, () => (write ? `${hosts.length} hosts are in ~/.ssh/${INCLUDED}\n` : text))
  const left = wanted.length - entries.length
  if (left > 0)
    run.hint(`${left} hosts have names that are not unique, or that no configuration should hold.`)
}
