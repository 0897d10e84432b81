import { chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { certify, makeAuthority, type Pair } from '../../../../test/support/certificate-authority.ts'
import { OwnPostgres } from '../../../../test/support/own-postgres.ts'

/**
 * Access rules of the server: `over_tls` connects by TLS alone, `by_certificate` with a certificate of that
 * name and no password.
 */
const WAYS = `
host    all postgres       127.0.0.1/32 scram-sha-256
hostssl all by_certificate 127.0.0.1/32 cert
hostssl all over_tls       127.0.0.1/32 scram-sha-256
host    all anyhow         127.0.0.1/32 scram-sha-256
`
const ROLES = ['over_tls', 'by_certificate', 'anyhow'] as const
type Role = (typeof ROLES)[number]

/** A PostgreSQL that offers TLS under the name `localhost`, and asks for scram or for a certificate. */
export class TlsPostgres implements AsyncDisposable {
  readonly folder: string
  readonly authority: Pair
  readonly #server: OwnPostgres
  readonly #admin: pg.Client

  private constructor(server: OwnPostgres, admin: pg.Client, folder: string, authority: Pair) {
    this.#server = server
    this.#admin = admin
    this.folder = folder
    this.authority = authority
  }

  static async open(): Promise<TlsPostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-tls-'))
    const authority = await makeAuthority(folder, 'authority')
    const server = await OwnPostgres.open()
    const admin = new pg.Client({ connectionString: server.url })
    await admin.connect()
    const own = new TlsPostgres(server, admin, folder, authority)
    for (const role of ROLES) await admin.query(`create role ${role} login password '${role}-one'`)
    await own.#offerTls(await certify(folder, authority, 'server', 'DNS:localhost'))
    return own
  }

  async #offerTls({ cert, key }: Pair): Promise<void> {
    const [{ data_directory: data }] = await this.rows<{ data_directory: string }>('show data_directory')
    const { uid, gid } = await stat(data)
    const files = [
      [cert, 'server.crt'],
      [key, 'server.key'],
      [this.authority.cert, 'authority.crt'],
    ] as const
    for (const [from, name] of files) {
      const to = join(data, name)
      await copyFile(from, to)
      await chmod(to, 0o600)
      await chown(to, uid, gid)
    }
    await writeFile(join(data, 'pg_hba.conf'), WAYS)
    await this.#admin.query("alter system set ssl_ca_file = 'authority.crt'")
    await this.turnTls('on')
  }

  /** Turns TLS on or off for connections that begin from now on. */
  async turnTls(how: 'on' | 'off'): Promise<void> {
    await this.#admin.query(`alter system set ssl = ${how}`)
    await this.#admin.query('select pg_reload_conf()')
    for (;;) {
      const [now] = await this.rows<{ ssl: string }>('show ssl')
      if (now?.ssl === how) return
    }
  }

  async rows<Row>(statement: string): Promise<[Row, ...Row[]]> {
    return (await this.#admin.query(statement)).rows as [Row, ...Row[]]
  }

  /** Makes an empty database of `role` and returns its URL on `localhost`. */
  async database(role: Role, params: Readonly<Record<string, string>>): Promise<URL> {
    const name = `of_${role}_${Date.now().toString(36)}`
    await this.#admin.query(`create database ${name} owner ${role}`)
    const url = new URL(this.#server.url)
    Object.assign(url, { hostname: 'localhost', username: role, password: '', pathname: `/${name}` })
    url.search = new URLSearchParams(params).toString()
    return url
  }

  /** Ends the connections of a role. */
  async disconnect(role: Role): Promise<void> {
    await this.#admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#admin.end()
    await this.#server[Symbol.asyncDispose]()
    await rm(this.folder, { recursive: true, force: true })
  }
}
