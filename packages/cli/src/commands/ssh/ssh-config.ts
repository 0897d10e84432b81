import { type OperatorServer, Problem } from '@svc/core'
import { shellWord } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'

/** Flags of `svc ssh config`. */
export interface SshConfigOptions {
  readonly license?: string
}

// Hosts choose their names, and a configuration of OpenSSH runs programs: nothing else gets in.
const SAFE = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,252}$/

/** One host of the configuration. */
interface Entry {
  readonly names: readonly string[]
  readonly id: string
}

function entryOf(server: OperatorServer, all: readonly OperatorServer[]): Entry | undefined {
  const { id, hostname, label } = server
  if (!SAFE.test(id)) return undefined
  const isOnly = (name: string) =>
    all.filter((each) => [each.id, each.hostname, each.label].includes(name)).length === 1
  const names = [...new Set([hostname, label, id])].filter((name) => SAFE.test(name) && isOnly(name))
  return names.length === 0 ? undefined : { names, id }
}

/** Prints a configuration of OpenSSH by which `ssh`, `scp` and others reach hosts through svc. */
export const printConfig: Handler<SshConfigOptions> = async (run) => {
  const { license, url, dataDir } = run.options
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
  const entries = wanted.map((server) => entryOf(server, servers)).filter((entry) => entry !== undefined)
  const where = [...(url ? ['--url', url] : []), ...(dataDir ? ['--data-dir', dataDir] : [])].map(shellWord)
  const program = ['svc', 'ssh', '--stdio', ...where].join(' ')
  const hosts = entries.map(({ names, id }) => ({
    names,
    proxy_command: `${program} ${id}`,
    host_key_alias: id,
  }))
  run.print({ hosts }, () =>
    hosts
      .map(
        (host) =>
          `Host ${host.names.join(' ')}\n  ProxyCommand ${host.proxy_command}\n  HostKeyAlias ${host.host_key_alias}\n`,
      )
      .join('\n'),
  )
  const left = wanted.length - entries.length
  if (left > 0)
    run.hint(`${left} hosts have names that are not unique, or that no configuration should hold.`)
}
