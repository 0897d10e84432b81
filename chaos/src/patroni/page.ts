import { blockOf } from '../../../test/docs/page.ts'

const PAGE = 'docs/high-availability.md'
/** The network of the page, and the one of a run: addresses for benchmarks, which lead nowhere else. */
const OF_PAGE = '10.0.0.'
export const NETWORK = '198.18.77.'

/** Machines of the database by name, as on the page. */
export const NAMES = ['db1', 'db2', 'db3'] as const
export type Name = (typeof NAMES)[number]

/** The last part of the address of `db1`. */
const FIRST = 11

/** The address of a machine in a run. */
export const addressOf = (name: Name): string => `${NETWORK}${FIRST + NAMES.indexOf(name)}`

/** The place of a machine's files in a run. */
export interface Place {
  /** Data of etcd and of PostgreSQL. */
  readonly folder: string
  /** The programs of PostgreSQL. */
  readonly binaries: string
  /** The passwords that stand where the page has dots. */
  readonly password: string
}

const own = (text: string, name: Name): string =>
  text.replaceAll(`${OF_PAGE}${FIRST}`, addressOf(name)).replaceAll('db1', name)

const elsewhere = (text: string): string => text.replaceAll(OF_PAGE, NETWORK)

/** Environment of etcd on a machine: the page's file, where `db1` stands for the machine but in the list. */
export function etcdEnvironment(name: Name, { folder }: Place): Readonly<Record<string, string>> {
  const lines = blockOf(PAGE, '# /etc/default/etcd').split('\n').slice(1)
  const pairs = lines.map((line) => {
    const at = line.indexOf('=')
    const [key, value] = [line.slice(0, at), line.slice(at + 1)]
    return [key, elsewhere(key === 'ETCD_INITIAL_CLUSTER' ? value : own(value, name))] as const
  })
  return { ...Object.fromEntries(pairs), ETCD_DATA_DIR: `${folder}/etcd` }
}

/** The settings of Patroni on a machine. */
export function patroniSettings(name: Name, { folder, binaries, password }: Place): string {
  const lines = blockOf(PAGE, '# /etc/patroni/config.yml').split('\n')
  const text = lines.map((line) => (line.includes('hosts:') ? line : own(line, name))).join('\n')
  return elsewhere(text)
    .replaceAll("'…'", `'${password}'`)
    .replace('/var/lib/postgresql/15/svc', `${folder}/data`)
    .replace('/usr/lib/postgresql/15/bin', binaries)
    .replace('/var/lib/postgresql/.pgpass_patroni', `${folder}/pgpass`)
    .replace('/var/run/postgresql', folder)
}

/** The ports of a run on 127.0.0.1. */
export interface Ports {
  readonly database: number
  readonly service: number
  readonly replicas: readonly number[]
}

/** The settings of HAProxy, with plain HTTP and the replicas of the run. */
export function haproxySettings({ database, service, replicas }: Ports): string {
  const servers = replicas.map((port, index) => [`10.0.0.2${index + 1}:8080`, `127.0.0.1:${port}`] as const)
  const text = blockOf(PAGE, '# /etc/haproxy/haproxy.cfg')
    .replace('bind 127.0.0.1:5432', `bind 127.0.0.1:${database}`)
    .replace(/bind :443 ssl .*/, `bind 127.0.0.1:${service}`)
  return `${elsewhere(servers.reduce((whole, [there, here]) => whole.replace(there, here), text))}\n`
}

/** The statements that make the roles and the database: outside of the new database, and inside. */
export function statements(password: string): readonly [outside: string[], inside: string[]] {
  const script = blockOf('docs/deployment.md', 'create role svc_owner').replaceAll("'…'", `'${password}'`)
  const [outside = '', inside = ''] = script.split('\\c svc\n')
  const single = (text: string) => text.split(';\n').filter((each) => each.trim() !== '')
  return [single(outside), single(inside)]
}

/** The statement after the first migration. */
export const revoked = (): string => blockOf('docs/deployment.md', 'revoke update, delete on audit_log')
